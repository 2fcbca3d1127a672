import type { DesyncVerdict } from './verdict.ts'

/**
 * What is known of a desync. It is told in stages, each time with everything that is known by then:
 *
 *     detected   which tick, who agrees with whom, whom counting blames
 */
export interface DesyncReport {
  readonly stage: 'detected'
  /** The first tick on which machines are known to differ. */
  readonly tick: number
  /**
   * The newest tick before on which all that are named agreed, where one is known. If it is the one
   * before `tick`, then `tick` is the first bad one for certain.
   */
  readonly agreedTick: number | undefined
  /** Seats by what they reported, each at most once. Seats that are not named were not heard. */
  readonly groups: readonly (readonly number[])[]
  readonly verdict: DesyncVerdict
  /** The receiver, who only watches, differs from all groups. Nobody else is told. */
  readonly isSpectator: boolean
}
