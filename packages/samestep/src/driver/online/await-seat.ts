import type { UsageError } from '../../base/errors.ts'
import type { ClientStatus } from '../../client/status/client-status.ts'
import type { GameShape } from '../../sim/game/definition/context.ts'
import type { Timing } from '../../transport/timing.ts'
import type { ClientMatch } from '../match/client-match.ts'
import { JoinError } from './join-error.ts'

/** The progress of an attempt to join. */
export interface JoinProgress {
  readonly status: ClientStatus
  /** The address being dialled; `undefined` if the caller gave its own `dial`. */
  readonly url: string | undefined
  /** The error of the last failed connection attempt; `undefined` before the first failure. */
  readonly failure: string | undefined
}

/** What is known of attempts to connect, and who wants to know. */
export interface DialFailures {
  last: Error | undefined
  handleMisuse?: (error: UsageError) => void
  /** An attempt failed in a way that may pass. */
  handleFailure?: () => void
}

/** What the waiting for a seat needs to know. */
export interface SeatWait {
  readonly timing: Timing
  /** Without end where it is `Infinity`. */
  readonly timeoutMs: number
  readonly signal: AbortSignal | undefined
  readonly onStatus: ((progress: JoinProgress) => void) | undefined
  readonly url: string | undefined
  readonly failures: DialFailures
  /** Says what is wrong with the address, if that can be found out. */
  readonly probe: () => Promise<string | undefined>
  readonly warn: (text: string) => void
}

/** Waits until the relay let us in, or somebody's patience is at its end; never in silence. */
export function awaitSeat<G extends GameShape, R>(
  match: ClientMatch<G, R>,
  wait: SeatWait,
): Promise<ClientMatch<G, R>> {
  const { timing, timeoutMs, signal, failures } = wait
  return new Promise((resolve, reject) => {
    const undo: (() => void)[] = []
    let hint: string | undefined
    const settle = (finish: () => void) => {
      for (const one of undo.splice(0)) one()
      finish()
    }
    const giveUp = (error: Error) => {
      settle(() => {
        match.close()
        reject(error)
      })
    }
    const tell = () => {
      const { status } = match
      wait.onStatus?.({ status, url: wait.url, failure: failures.last?.message })
    }
    const why = () => [failures.last?.message, hint].filter((one) => one !== undefined).join('. ')
    undo.push(
      match.on('status', (status) => {
        tell()
        if (status === 'active' || status === 'lobby') settle(() => resolve(match))
      }),
      match.on('closed', ({ reason, message, error }) => {
        settle(() => reject(new JoinError(reason, message, error)))
      }),
    )
    failures.handleMisuse = giveUp
    failures.handleFailure = tell
    undo.push(() => {
      delete failures.handleMisuse
      delete failures.handleFailure
    })
    const warn = async () => {
      hint = await wait.probe()
      // Let in meanwhile, or given up: there is nothing to warn of.
      if (undo.length > 0) wait.warn(describeWaiting(wait.url, why()))
    }
    undo.push(timing.schedule(() => void warn(), warnAfterMs))
    if (timeoutMs !== Number.POSITIVE_INFINITY) {
      const expire = () => {
        const waited = `Cannot join: no relay let us in within ${timeoutMs} ms`
        const reason = why() === '' ? '' : `. ${why()}`
        giveUp(new JoinError('timeout', `${waited}${reason}`, failures.last))
      }
      undo.push(timing.schedule(expire, timeoutMs))
    }
    const abort = () => giveUp(new JoinError('aborted', 'Cannot join: the attempt was aborted'))
    if (signal?.aborted) abort()
    signal?.addEventListener('abort', abort)
    undo.push(() => signal?.removeEventListener('abort', abort))
    if (undo.length > 1) tell()
  })
}

function describeWaiting(url: string | undefined, why: string): string {
  const where = url === undefined ? '' : `: dialling ${url}`
  return `[samestep] No relay has let us in yet${where}. ${why === '' ? 'Nobody answers so far.' : why}`
}

/** Without an answer for so long, a developer wonders what is wrong. */
const warnAfterMs = 2_000
