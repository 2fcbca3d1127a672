import { hostFactor } from '../../base/host-factor.ts'
import type { ProbeEntry } from '../../wire/messages/desync-probes.ts'
import type { PairFinding } from '../search/pair-finding.ts'
import type { LiveCauseId } from './live-causes.ts'
import { liveCauses } from './live-causes.ts'

/** A cause of the doctor's table, see `docs/desync.md`. */
export type DesyncCauseId = LiveCauseId

/** Why machines went apart, in words, as far as the evidence shows. */
export interface DesyncCause {
  readonly id: DesyncCauseId
  /** What was seen. */
  readonly text: string
  readonly advice: string
}

/**
 * Judges what was found. It never says more than that: what a machine could not show is not guessed, and
 * nothing is judged before all was found out. `names` are what the two sides are called in the text.
 */
export function findCause(
  finding: PairFinding,
  names: readonly [string, string],
): DesyncCause | undefined {
  if (finding.stage !== 'traced') return undefined
  for (const side of [0, 1] as const) {
    const cause = judgeRerun(finding, side, names[side])
    if (cause !== undefined) return cause
  }
  return judgeWrite(finding, names)
}

function make(id: LiveCauseId, text: string): DesyncCause {
  return { id, text, advice: liveCauses[id].advice }
}

/** A machine that does not come to its own state again. */
function judgeRerun(
  { tick, reruns, areWritesSame, outside }: PairFinding,
  side: 0 | 1,
  name: string,
): DesyncCause | undefined {
  const rerun = reruns[side]
  const readsBeside = outside[side]?.readsBeside === true
  if (rerun === undefined || (rerun.isSame && !readsBeside)) return undefined
  const asked = outside[side]?.unstable
  const factor = asked?.kind === 'call' ? hostFactor(asked.field) : undefined
  if (asked !== undefined && factor !== undefined) {
    const text = `Tick ${tick}, rerun on the machine of ${name}, did not reproduce its state, and the result depends on ${asked.field}.`
    return make(factor, text)
  }
  if (readsBeside) {
    const text = `Tick ${tick}, run again on the machine of ${name} from a saved state, gives another state than without a save and a load before it.`
    return make('outside-state', text)
  }
  if (!rerun.isStable || asked !== undefined) {
    return make('unstable', `Tick ${tick}, run twice on the machine of ${name}, gave two results.`)
  }
  const like = areWritesSame ? ' and gave the writes of the other side' : ''
  const text = `Tick ${tick}, rerun on the machine of ${name}, did not reproduce its state${like}.`
  return make('outside-write', text)
}

/** Both come to their own states again, and their writes differ. */
function judgeWrite(
  { tick, write, outside }: PairFinding,
  names: readonly [string, string],
): DesyncCause | undefined {
  if (write === undefined) return undefined
  const [a, b] = write.sides
  const asked = outside.find((side) => side?.unstable?.kind === 'call')?.unstable
  const factor = asked && hostFactor(asked.field)
  // What another function of the game asks for is no reason for what this one writes.
  const isAsker = asked?.where === (a ?? b)?.where && asked?.name === (a ?? b)?.name
  if (asked !== undefined && factor !== undefined && isAsker) {
    const text = `From the same state, the machines write different values in tick ${tick}, and they depend on ${asked.field}.`
    return make(factor, text)
  }
  const unstable = outside.findIndex((side) => side?.unstable && side.unstable.kind !== 'call')
  if (unstable >= 0) {
    const text = `Tick ${tick}, run twice on the machine of ${names[unstable]}, gave two results.`
    return make('unstable', text)
  }
  const isDraw = a?.kind === 'draw' || b?.kind === 'draw'
  if (isDraw && (a?.kind !== b?.kind || a?.field !== b?.field)) {
    const [who] = a?.kind === 'draw' ? names : [names[1]]
    const text = `In tick ${tick} the machine of ${who} draws a random number where the other does not.`
    return make('draws-differ', text)
  }
  const isSamePlace =
    a !== undefined && b !== undefined && placeOf(a) === placeOf(b) && a.before === b.before
  if (!isSamePlace) {
    const text = `From the same state, the machines do different things in tick ${tick}.`
    return make('paths-differ', text)
  }
  if (a.kind === 'call') {
    const text = `From the same state, the first difference in tick ${tick} is the result of ${a.field}.`
    return make(hostFactor(a.field) ?? 'values-differ', text)
  }
  const text = `From the same state, both machines write ${a.part}.${a.field} in tick ${tick}, but with different values.`
  return make('values-differ', text)
}

function placeOf({ kind, part, row, field }: ProbeEntry): string {
  return JSON.stringify([kind, part, row, field])
}
