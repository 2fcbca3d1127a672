import type { PlantedBug } from './planted-bug.ts'

/** Bugs in bytes, packets and clocks. */
export const wireBugs: readonly PlantedBug[] = [
  {
    id: 'impossible-input-sealed',
    file: 'relay/match/ticks/sealer.ts',
    find: "if (this.#values.wrongMask(slots, at) !== 0) return 'wrong'",
    replace: '',
    breaks: 'An input that no field can hold is sealed, and binds everybody.',
  },
  {
    id: 'impossible-input-believed',
    file: 'wire/ticks/slot-values.ts',
    find: 'if ((slots[at + index] as number) > (this.#max[index] as number)) mask |= 1 << index',
    replace: '',
    breaks: 'Neither relay nor clients notice a value that is none of its field.',
  },
  {
    id: 'tick-expanded-wrongly',
    file: 'wire/ticks/tick-window.ts',
    find: 'return ahead < range / 2 ?',
    replace: 'return ahead < range - 4 ?',
    breaks: 'A client takes ticks that are sent again for ticks far ahead.',
  },
  {
    id: 'number-expanded-wrongly',
    file: 'wire/ticks/client-turn.ts',
    find: 'return ahead < 32_768 ?',
    replace: 'return ahead < 4 ?',
    breaks: 'Numbers some way ahead are taken for ones of long ago.',
  },
  {
    id: 'checksum-ignored',
    file: 'link/datagram/packet-reader.ts',
    find: 'return sum === (crc32(bytes, end) ^ mark)',
    replace: 'return (sum ^ mark) !== 0x5eed_5eed',
    profiles: ['radioactive'],
    breaks: 'Damaged packets are believed.',
  },
  {
    id: 'long-form-says-low-bits',
    file: 'wire/ticks/relay-bundles.ts',
    find: 'out.bits(firstTick, 32)',
    replace: 'out.bits(firstTick % 256, 32)',
    breaks:
      'A client that misses more than fits one datagram never gets it after the first 255 ticks.',
  },
  {
    id: 'time-goes-back',
    file: 'base/machine-clock.ts',
    find: 'if (elapsed >= 0 && elapsed <= stepMsMax) {',
    replace: 'if (elapsed <= stepMsMax) {',
    profiles: ['radioactive'],
    breaks: 'A machine whose clock is set back runs backwards.',
  },
]
