import { ClientPump } from '../../client/client-pump.ts'
import { digestNow } from '../../client/state/digests.ts'
import { StreamChannel } from '../../link/stream/stream-channel.ts'
import type { Relay } from '../../relay/relay.ts'
import type { GameShape } from '../../sim/game/definition/context.ts'
import type { MatchInside } from '../match/match-inside.ts'
import { TickPlayer } from '../match/tick-player.ts'
import { reportError } from '../report-error.ts'

/** The relay of this process, and its time. */
export interface LocalHost {
  readonly relay: Relay
  nowMs(): number
  /** A number for a link that no other has. */
  nextLink(): number
}

/** One player of this process: a client, and its link to the relay here. */
export class LocalSeat<G extends GameShape, R> {
  readonly inside: MatchInside<G, R>
  readonly pump: ClientPump<G, R>
  readonly player: TickPlayer<G, R>
  /** Packets that went to the relay so far. */
  packetsSent = 0
  /** Left for good: nothing is carried any more. */
  isStopped = false
  readonly #host: LocalHost
  #link = 0

  constructor(inside: MatchInside<G, R>, host: LocalHost) {
    this.inside = inside
    this.#host = host
    // By the caller's clock, a tick takes no time: a game too heavy for this machine becomes slower,
    // instead of falling behind a relay that would wait for nobody.
    this.player = new TickPlayer(inside, () => 0)
    this.pump = new ClientPump(inside.client, {
      handleWantLink: () => this.#connect(),
      handleDigest: (job) => inside.client.handleDigest(job, digestNow(job), host.nowMs()),
      handleEvent: (event) => {
        try {
          inside.handleEvent(event)
        } catch (error) {
          // A listener that throws keeps the match from nothing.
          reportError(error)
        }
      },
      send: (packet) => {
        this.packetsSent += 1
        host.relay.handlePacket(this.#link, packet, host.nowMs())
      },
    })
  }

  /** Whether this is the link that packets for this player come over. */
  hasLink(link: number): boolean {
    return link === this.#link && !this.isStopped
  }

  #connect(): void {
    const { relay, nextLink } = this.#host
    const nowMs = this.#host.nowMs()
    if (this.#link > 0) relay.handleLinkClosed(this.#link, nowMs)
    this.#link = nextLink()
    const makeChannel = (atMs: number) => new StreamChannel(atMs)
    relay.handleLinkOpened(this.#link, makeChannel, nowMs)
    this.inside.client.handleLinkOpened(makeChannel, nowMs)
  }
}
