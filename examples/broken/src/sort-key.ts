import { defineGame, i16, single, table, u8, u16 } from 'samestep'

/** A tower that shoots at whoever is nearest; of two who are equally near, at either. */
export const tower = defineGame({
  id: 'broken-sort-key',
  version: 1,
  seats: { min: 1, max: 4 },
  state: {
    targets: table(32, { x: i16, hp: u8.default(200) }),
    tower: single({ shots: u16 }),
  },

  setup({ state, random }) {
    for (let index = 0; index < 24; index++) state.targets.add({ x: random.between(-6, 6) })
  },

  step({ state, tick }) {
    const { targets, tower } = state
    if (tick % 3 !== 0) return
    const isFarther = (a: number, b: number) => Math.abs(targets.x[a]!) > Math.abs(targets.x[b]!)
    const near = [...targets].sort((a, b) => (isFarther(a, b) ? 1 : -1)) // ✗
    const victim = near[tower.shots % 4]!
    targets.hp[victim]! -= 1
    tower.shots += 1
  },
})
