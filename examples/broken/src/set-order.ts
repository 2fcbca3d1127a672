import { custom, defineGame, order, range, single, u8 } from 'samestep'

/** Who waits in line, in the sequence in which they came. */
class Line {
  readonly waiting = new Set<number>()
}

/** A ferry that takes whoever came first. Saved and loaded, the line is sorted by number. */
export const ferry = defineGame({
  id: 'broken-set-order',
  version: 1,
  seats: { min: 1, max: 4 },
  state: {
    line: custom({
      create: () => new Line(),
      save: (line) => Uint8Array.from(line.waiting).sort(), // ✗
      load(bytes) {
        const line = new Line()
        for (const guest of bytes) line.waiting.add(guest)
        return line
      },
    }),
    ferry: single({ aboard: u8 }),
  },
  orders: { queue: order({ guest: range(0, 200) }, { maxPerTick: 2 }) },

  step({ state, tick, orders }) {
    const { waiting } = state.line
    for (const { data } of orders) waiting.add(data.guest)
    const [first] = waiting
    if (tick % 20 !== 0 || first === undefined) return
    waiting.delete(first)
    state.ferry.aboard = first // ✎
  },
})
