/** Why a datagram was dropped without an answer. */
export type DropReason =
  /** Not the bytes of any datagram that this version knows, or one of the wrong length. */
  | 'malformed'
  /** Another version of the transport. */
  | 'version'
  /** A hello, while no more sessions are taken. */
  | 'closed'
  /** A hello, a repeated message, or a packet of no session, while more come than are answered. */
  | 'flood'
  /** The cookie is not ours, too old, or of another address. */
  | 'cookie'
  /** More handshakes in this second than are computed, of one address or in all. */
  | 'handshakes'
  /** Too many who have not joined, in all or of one address. */
  | 'strangers'
  | 'group'
  /** Too many sessions. */
  | 'sessions'
  /** A handshake message that does not decrypt, or has a key that is no point (T-05). */
  | 'handshake'
  /** A handshake message that was answered already, or belongs to none. */
  | 'repeated'
  /** The ticket is missing, forged, expired, used elsewhere, or no room is left to remember it. */
  | 'ticket'
  /** There is no such session. */
  | 'session'
  /** Not encrypted by the other side. */
  | 'forged'
  /** Seen before, or too old to tell. */
  | 'replay'
  /** Well encrypted, but no frame that the other side may send. */
  | 'frame'
  /** From another address than that of the server. */
  | 'address'
  /** The session moves too often. */
  | 'rebind'
  /** Nobody opened the connection and too much waits. */
  | 'unopened'

/** Made once: a flood would make a hundred thousand per second. */
const dropNames = new Map<DropReason, string>()

/** The counters of a UDP machine. Names are `drop.<reason>`, `hello`, `accepted`, `rebind`, …. */
export class UdpCounters {
  readonly #counts = new Map<string, number>()

  /** Counts one dropped datagram. */
  drop(reason: DropReason): void {
    let name = dropNames.get(reason)
    if (name === undefined) {
      name = `drop.${reason}`
      dropNames.set(reason, name)
    }
    this.count(name)
  }

  /** Counts one event. */
  count(name: string): void {
    this.#counts.set(name, (this.#counts.get(name) ?? 0) + 1)
  }

  /** How often it happened. */
  get(name: string): number {
    return this.#counts.get(name) ?? 0
  }

  /** All counters. */
  entries(): IterableIterator<[string, number]> {
    return this.#counts.entries()
  }
}
