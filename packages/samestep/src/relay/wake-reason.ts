/** Why a relay wants to be woken. */
export type RelayWakeReason =
  /** A tick is due. */
  | 'seal'
  /** A tick has waited for its inputs long enough. */
  | 'input-wait'
  /** Ticks that waited for each other go out. */
  | 'flush'
  /** A lobby closes, a countdown ends, loading took too long. */
  | 'lobby'
  /** A vote ends. */
  | 'vote'
  /** A pause ends. */
  | 'pause'
  /** A state is asked for, fetched or given. */
  | 'state'
  /** Bots need another runner. */
  | 'bots'
  /** Machines differ, and not everybody was heard in time. */
  | 'desync'
  /** Members are shown who is there. */
  | 'room'
  /** Somebody was silent, or behind, for so long that something follows from it. */
  | 'liveness'
  /** A match took more than its share, and is served again. */
  | 'share'
  /** A stranger takes too long to say who it is. */
  | 'handshake'
  /** A link that is closed has had its time to hear so. */
  | 'farewell'
  /** Packets are repeated, confirmed or paced. */
  | 'channel'

/** The reason with the soonest time; of equals the first. */
export function soonestReason<R>(candidates: readonly (readonly [R, number])[]): R | undefined {
  let [reason, soonestMs]: [R | undefined, number] = [undefined, Number.POSITIVE_INFINITY]
  for (const [candidate, atMs] of candidates) {
    if (atMs < soonestMs) [reason, soonestMs] = [candidate, atMs]
  }
  return reason
}
