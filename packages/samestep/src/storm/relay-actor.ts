import type { ChannelFactory } from '../link/channel.ts'
import { DatagramChannel } from '../link/datagram-channel.ts'
import { StreamChannel } from '../link/stream-channel.ts'
import type { MatchEvent } from '../relay/match-types.ts'
import { Relay } from '../relay/relay.ts'
import type { Actor } from './engine/actor.ts'
import type { LinkEnd } from './engine/link.ts'
import type { World } from './engine/world.ts'
import type { Oracle } from './oracle.ts'

/** The channel for one end of a link. Both ends of a datagram link take its number for the epoch. */
export function channelFor(end: LinkEnd, firstNumber: number): ChannelFactory {
  if (end.kind === 'stream') return (nowMs) => new StreamChannel(nowMs)
  const options = {
    epoch: end.link.id % 65_536,
    side: end.side === 0 ? ('initiator' as const) : ('acceptor' as const),
    firstNumber,
  }
  return (nowMs) => new DatagramChannel(options, nowMs)
}

/** A relay in a storm, with an oracle that writes down what it seals. */
export class RelayActor implements Actor {
  readonly relay: Relay
  readonly #world: World
  readonly #oracles: ReadonlyMap<string, Oracle>
  readonly #ends = new Map<number, LinkEnd>()
  readonly #firstNumber: number

  constructor(
    world: World,
    oracles: ReadonlyMap<string, Oracle>,
    firstNumber: number,
    waitingOrdersMax?: number,
  ) {
    const random = world.random('relay')
    this.#world = world
    this.#oracles = oracles
    this.#firstNumber = firstNumber
    this.relay = new Relay({
      ...(waitingOrdersMax === undefined ? {} : { waitingOrdersMax }),
      randomBytes: (count) => Uint8Array.from({ length: count }, () => random.below(256)),
    })
  }

  handleLinkOpened(end: LinkEnd, nowMs: number): void {
    this.#ends.set(end.id, end)
    this.relay.handleLinkOpened(end.id, channelFor(end, this.#firstNumber), nowMs)
    this.#drain()
  }

  handlePacket(end: LinkEnd, bytes: Uint8Array, nowMs: number): void {
    this.relay.handlePacket(end.id, bytes, nowMs)
    this.#drain()
  }

  handleLinkClosed(end: LinkEnd, nowMs: number): void {
    this.#ends.delete(end.id)
    this.relay.handleLinkClosed(end.id, nowMs)
    this.#drain()
  }

  handleTime(nowMs: number): void {
    this.relay.handleTime(nowMs)
    this.#drain()
  }

  wakeAtMs(): number {
    return this.relay.wakeAtMs()
  }

  #drain(): void {
    for (let output = this.relay.pollOutput(); output; output = this.relay.pollOutput()) {
      switch (output.type) {
        case 'send': {
          const end = this.#ends.get(output.link)
          if (end !== undefined) this.#world.send(end, output.bytes)
          break
        }
        case 'close': {
          const end = this.#ends.get(output.link)
          this.#ends.delete(output.link)
          if (end !== undefined) this.#world.closeLink(end)
          break
        }
        case 'match':
          this.#note(output.match, output.event)
      }
    }
  }

  #note(name: string, event: MatchEvent): void {
    const oracle = this.#oracles.get(name)
    if (oracle === undefined) return
    if (event.type === 'started') {
      const match = this.relay.matches.get(name)
      if (match !== undefined) oracle.noteStarted(match.config)
    }
    if (event.type === 'left') oracle.noteLeft(event.seat)
    if (event.type === 'sealed') oracle.noteSealed(event.tick, event.bundle)
    if (event.type === 'hash-mismatch') {
      this.#world.always('I-09', false, `Hashes differ at tick ${event.tick}, seat ${event.seat}`)
    }
  }
}
