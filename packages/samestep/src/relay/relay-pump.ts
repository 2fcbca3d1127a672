import type { ChannelFactory } from '../link/channel.ts'
import type { AuthorizationAnswer, AuthorizationRequest } from './links/authorization.ts'
import type { MatchEvent } from './match/match-types.ts'
import type { Relay } from './relay.ts'

/** Does what a relay wants done. */
export interface RelayOutlet {
  send(link: number, bytes: Uint8Array): void
  /** Closes a link once what was sent is out. */
  close(link: number, code: number): void
  /** Whoever is at the other end was let in: it is no stranger any more. */
  handleSeated?(link: number): void
  /** Somebody wants in: {@link RelayPump.handleAuthorized} takes the answer, at any later time. */
  handleAuthorize?(link: number, request: AuthorizationRequest): void
  handleMatch(match: string, event: MatchEvent): void
  /** Keeps a piece of the record. Whatever comes after it relies on that. */
  record?(bytes: Uint8Array): void
}

/**
 * Drives a relay: every call is followed by polling until nothing is left. Servers and simulated worlds
 * both use it, so that what is tested is what runs.
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

  /** Whether somebody may come in. Not to be called inside `handleAuthorize`. */
  handleAuthorized(link: number, answer: AuthorizationAnswer, nowMs: number): void {
    this.relay.handleAuthorized(link, answer, nowMs)
    this.drain()
  }

  /** Serves all who are due, one after the other. Who wants more than {@link roundsMax} waits. */
  handleTime(nowMs: number): void {
    const together = this.#outlet.record === undefined ? 1 : recordedTogether
    for (let rounds = 1; rounds <= roundsMax; rounds++) {
      this.relay.handleTime(nowMs)
      const isLast = this.relay.wakeAtMs() > nowMs
      if (isLast || rounds % together === 0) this.drain()
      if (isLast) return
    }
  }

  /** Does all that the relay wants done. Where a call threw, this is left to whoever called. */
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
 * Matches that are served without a look at what came meanwhile: some ten milliseconds' worth. The
 * relay wants to be woken at once for the rest.
 */
const roundsMax = 256

/**
 * Matches whose records are written together before their packets go out: writing costs as much for
 * sixteen as for one, and the first of them waits for less than half a millisecond.
 */
const recordedTogether = 16
