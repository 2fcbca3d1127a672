import type { ChannelFactory } from '../link/channel.ts'
import type { AuthorizationAnswer, AuthorizationRequest } from './links/authorization.ts'
import type { MatchEvent } from './match/match-types.ts'
import type { Relay } from './relay.ts'

/** Carries out the outputs of a relay. */
export interface RelayOutlet {
  send(link: number, bytes: Uint8Array): void
  /** Closes a link once everything that was sent is out. */
  close(link: number, code: number): void
  /** The client was let in and is no longer a stranger. */
  handleSeated?(link: number): void
  /** A client wants to join. {@link RelayPump.handleAuthorized} takes the answer, any time later. */
  handleAuthorize?(link: number, request: AuthorizationRequest): void
  handleMatch(match: string, event: MatchEvent): void
  /** Stores a piece of the record. All later outputs rely on it. */
  record?(bytes: Uint8Array): void
}

/**
 * Drives a relay: after every call it polls outputs until none is left. Servers and simulated worlds
 * both use it, so the code that is tested is the code that runs.
 *
 *     handle… ──► pollOutput until empty ──► wakeAtMs
 */
export class RelayPump {
  readonly relay: Relay
  readonly #outlet: RelayOutlet

  constructor(relay: Relay, outlet: RelayOutlet) {
    this.relay = relay
    this.#outlet = outlet
  }

  handleLinkOpened(
    link: number,
    makeChannel: ChannelFactory,
    nowMs: number,
    address?: string,
  ): void {
    this.relay.handleLinkOpened(link, makeChannel, nowMs, address)
    this.drain()
  }

  handlePacket(link: number, bytes: Uint8Array, nowMs: number): void {
    this.relay.handlePacket(link, bytes, nowMs)
    this.drain()
  }

  handleLinkClosed(link: number, nowMs: number): void {
    this.relay.handleLinkClosed(link, nowMs)
    this.drain()
  }

  /** Answers whether a client may join. Must not be called inside `handleAuthorize`. */
  handleAuthorized(link: number, answer: AuthorizationAnswer, nowMs: number): void {
    this.relay.handleAuthorized(link, answer, nowMs)
    this.drain()
  }

  /** Serves everything that is due, one after the other, in at most {@link roundsMax} rounds. */
  handleTime(nowMs: number): void {
    const together = this.#outlet.record === undefined ? 1 : recordedTogether
    for (let rounds = 1; rounds <= roundsMax; rounds++) {
      this.relay.handleTime(nowMs)
      const isLast = this.relay.wakeAtMs() > nowMs
      if (isLast || rounds % together === 0) this.drain()
      if (isLast) return
    }
  }

  /** Carries out all pending outputs. If a call to the relay threw, this is up to the caller. */
  drain(): void {
    const { relay } = this
    const outlet = this.#outlet
    for (let output = relay.pollOutput(); output; output = relay.pollOutput()) {
      switch (output.type) {
        case 'record':
          outlet.record?.(output.bytes)
          break
        case 'send':
          outlet.send(output.link, output.bytes)
          break
        case 'close':
          outlet.close(output.link, output.code)
          break
        case 'seated':
          outlet.handleSeated?.(output.link)
          break
        case 'authorize':
          outlet.handleAuthorize?.(output.link, output.request)
          break
        case 'match':
          outlet.handleMatch(output.match, output.event)
      }
    }
  }
}

/**
 * Rounds of one call, before packets that arrived meanwhile are read: about ten milliseconds of work.
 * For the rest, the relay asks to be woken at once.
 */
const roundsMax = 256

/**
 * Matches whose records are written together before their packets go out: writing sixteen costs as
 * much as writing one, and the first of them waits less than half a millisecond.
 */
const recordedTogether = 16
