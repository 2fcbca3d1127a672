/** What the parts of a made-up machine know of each other. */
import type { Prng } from '../../base/prng.ts'

/** A way in which machines differ. */
export type Factor =
  | 'random'
  | 'clock'
  | 'zone'
  | 'locale'
  | 'math'
  | 'sort'
  | 'environment'
  | 'texts'

/** All of them, in the sequence in which they are suspected. */
export const factors: readonly Factor[] = [
  ...(['random', 'clock', 'zone', 'locale', 'math', 'sort'] as const),
  ...(['environment', 'texts'] as const),
]

/** One replaced property. */
export interface Patch {
  readonly target: object
  readonly key: PropertyKey
  readonly value: unknown
  /** Computes the value whenever the property is read; `value` is then ignored. */
  readonly get?: () => unknown
  /**
   * Whether a function that the game took out of its object when it loaded (`const { sin } = Math`)
   * should ask the machine all the same.
   */
  readonly isHooked?: boolean
}

// biome-ignore lint/complexity/noBannedTypes: any function can stand in for another.
type Asked = Function

/** What patches ask of the machine that they belong to. */
export interface MachineState {
  /** Whether the machine differs from the plain one in this. */
  isOther(factor: Factor): boolean
  /** Milliseconds since 1970, a little more at every call. */
  nowMs(): number
  /** The machine's own chance, from the start in every tick. */
  prng(): Prng
  tick(): number
  /** Remembers who asked; `asked` is the function that stands in. */
  note(factor: Factor, name: string, asked: Asked): void
  /** Whether the game itself asks, and not the host or a package; `asked` is the function that stands in. */
  isAskedByGame(asked: Asked): boolean
}
