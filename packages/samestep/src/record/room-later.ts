import type { SystemEvent } from '../sim/game/run/bundle.ts'
import type { EntryBody } from './entries.ts'

/** A room whose votes were written down so long ago. */
export function agedVotes(room: EntryBody<'room'>, agoMs: number): EntryBody<'room'> {
  const { vote, proposals } = room
  const left = (ms: number) => Math.max(ms - agoMs, 0)
  return {
    ...room,
    vote: vote && { ...vote, remainingMs: left(vote.remainingMs) },
    proposals: proposals.map((proposal) => ({ ...proposal, waitMs: left(proposal.waitMs) })),
  }
}

/** Puts an entry behind all others, and forgets the oldest beyond a number. */
export function putNewest<V>(map: Map<string, V>, key: string, value: V, countMax: number): void {
  map.delete(key)
  map.set(key, value)
  for (const oldest of map.keys()) {
    if (map.size <= countMax) return
    map.delete(oldest)
  }
}

/**
 * What sealed events make of the pace of a match, with those that still wait behind them. A room is
 * written as soon as a pause is granted: where somebody paused again behind a resume, it is that pause
 * that the room has.
 */
export function paceAfter(
  room: EntryBody<'room'>,
  events: readonly SystemEvent[],
  waiting: readonly SystemEvent[],
): EntryBody<'room'> {
  const last = [...events, ...waiting].findLast(({ type }) => type === 'pause' || type === 'resume')
  let next = room
  for (const event of events) {
    if (event.type === 'delay') next = { ...next, inputDelay: event.ticks }
    if (event.type === 'speed') next = { ...next, effectivePercent: event.percent }
    if (event === last && event.type === 'resume') next = { ...next, pause: undefined }
  }
  return next
}
