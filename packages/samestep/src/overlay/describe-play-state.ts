import type { OverlayMatch } from './overlay-match.ts'
import { playersOf } from './overlay-match.ts'

/** Shorter stalls are hiccups: a message about them would be gone before it is read. */
const stallMsMin = 400

/** The state of a match, in a few words for a player. */
export interface PlayDescription {
  readonly text: string
  /** `good`: playing. `fair`: a normal wait. `bad`: something is wrong. */
  readonly level: 'good' | 'fair' | 'bad'
}

const good: PlayDescription = { text: 'playing', level: 'good' }
const fair = (text: string): PlayDescription => ({ text, level: 'fair' })
const bad = (text: string): PlayDescription => ({ text, level: 'bad' })

/**
 * Describes the state of a match in a few English words: `playing`, `paused by Ada`, `catching up, 40 %`.
 * The text is made from `match.status`, `match.playState()` and the names in `match.room`; use these to
 * write your own text in another language.
 */
export function describePlayState(
  match: Pick<OverlayMatch, 'status' | 'room' | 'playState'>,
): PlayDescription {
  if (match.status === 'reconnecting') return bad('reconnecting')
  const state = match.playState()
  const nameOf = (seat: number) =>
    playersOf(match.room).find((player) => player.seat === seat)?.name ?? `seat ${seat}`
  switch (state.name) {
    case 'connecting':
      return fair('connecting')
    case 'waiting':
      return fair(waitingText(match.room?.phase))
    case 'authorised':
      return fair('asking for the match')
    case 'downloading': {
      const share = state.bytes / Math.max(state.bytesTotal, 1)
      return fair(`downloading the match, ${percentText(share)}`)
    }
    case 'resyncing': {
      const share = state.bytesTotal ? state.bytes / state.bytesTotal : 0
      return fair(`taking over the state of the others, ${percentText(share)}`)
    }
    case 'loading':
      return fair('loading the match')
    case 'active':
      return good
    case 'paused':
      if (state.isHalted) return bad('stopped: machines differ')
      return fair(state.bySeat === undefined ? 'paused' : `paused by ${nameOf(state.bySeat)}`)
    case 'stalled': {
      if (state.forMs < stallMsMin) return good
      const names = state.waitingFor.map(nameOf)
      return bad(`waiting for ${names.length > 0 ? names.join(', ') : 'the relay'}`)
    }
    case 'inputs-late':
      return bad(`${state.missedPercent} % of inputs arrive late`)
    case 'catching-up':
      return fair(`catching up, ${percentText(state.progress)}`)
    case 'hidden':
      return fair('hidden')
    case 'slow':
      return bad(`slow machine, ${state.loadPercent} %`)
    case 'closed':
      return bad('over')
  }
}

function waitingText(phase: string | undefined): string {
  if (phase === 'loading') return 'loading'
  if (phase === 'countdown') return 'starting'
  return 'waiting for players'
}

function percentText(share: number): string {
  return `${Math.floor(share * 100)} %`
}
