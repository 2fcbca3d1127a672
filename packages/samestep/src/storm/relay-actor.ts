import type { ChannelFactory } from '../link/channel.ts'
import { DatagramChannel } from '../link/datagram-channel.ts'
import { StreamChannel } from '../link/stream-channel.ts'
import type { Match } from '../relay/match.ts'
import type { MatchEvent } from '../relay/match-types.ts'
import { Relay } from '../relay/relay.ts'
import type { Actor } from './engine/actor.ts'
import type { LinkEnd } from './engine/link.ts'
import type { World } from './engine/world.ts'
import type { Oracle } from './oracle.ts'
import { checkStretch, FlushCheck } from './pace-checks.ts'

/** The channel for one end of a link. Both ends of a datagram link take its number for the epoch. */
export function channelFor(end: LinkEnd, firstNumber: number): ChannelFactory {
  if (end.kind === 'stream') return (nowMs) => new StreamChannel(nowMs, () => end.backlogBytes)
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
  /** By link: when something came over it, in the world's time. */
  readonly #heardAtMs = new Map<number, number>()
  readonly #flushes: FlushCheck
  /** When the match began to count down, in the world's time; below 0 while it does not. */
  #countdownAtMs = -1
  /** By member: what others were told about it. */
  readonly presences = new Map<number, Set<string>>()
  /** Told now and then of the match as it stands. */
  onCheck: ((match: Match) => void) | undefined

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
    this.#flushes = new FlushCheck(world)
    this.relay = new Relay({
      ...(waitingOrdersMax === undefined ? {} : { waitingOrdersMax }),
      randomBytes: (count) => Uint8Array.from({ length: count }, () => random.below(256)),
    })
  }

  handleLinkOpened(end: LinkEnd, nowMs: number): void {
    this.#ends.set(end.id, end)
    this.#heardAtMs.set(end.id, this.#world.nowMs)
    this.relay.handleLinkOpened(end.id, channelFor(end, this.#firstNumber), nowMs)
    this.#drain()
  }

  handlePacket(end: LinkEnd, bytes: Uint8Array, nowMs: number): void {
    this.#heardAtMs.set(end.id, this.#world.nowMs)
    this.relay.handlePacket(end.id, bytes, nowMs)
    this.#drain()
  }

  handleLinkClosed(end: LinkEnd, nowMs: number): void {
    this.#ends.delete(end.id)
    this.#heardAtMs.delete(end.id)
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
          this.#heardAtMs.delete(output.link)
          if (end !== undefined) this.#world.closeLink(end)
          break
        }
        case 'match':
          this.#note(output.match, output.event)
      }
    }
    for (const [name, match] of this.relay.matches) {
      const isCalm = this.#oracles.get(name)?.isDisturbed === false
      if (isCalm && match.config.batching === 'adaptive') this.#flushes.check(match)
    }
  }

  #note(name: string, event: MatchEvent): void {
    const oracle = this.#oracles.get(name)
    if (oracle === undefined) return
    const match = this.relay.matches.get(name)
    if (event.type === 'started' && match !== undefined) {
      oracle.noteStarted(match.config, takenSeats(match))
      this.#world.sometimes('launched from a lobby', match.config.lobby.start !== 'when-full')
    }
    if (event.type === 'phase' && match !== undefined) this.#notePhase(event.phase, match)
    if (event.type === 'left') oracle.noteLeft(event.seat)
    if (event.type === 'presence') this.#notePresence(event)
    if (event.type === 'bug') throw event.error
    if (event.type === 'sealed') {
      this.#flushes.noteSealed(event.tick)
      if (match !== undefined) noteRunners(match, oracle)
      oracle.noteSealed(event.tick, event.bundle)
      if (match !== undefined) checkStretch(this.#world, match)
      if (match !== undefined && event.tick % checkTicks === 0) this.onCheck?.(match)
    }
    if (event.type === 'hash-mismatch') {
      this.#world.always('I-09', false, `Hashes differ at tick ${event.tick}, seat ${event.seat}`)
    }
  }

  /** Nobody plays before all have counted down together (JOIN-06). */
  #notePhase(phase: string, { config, sessions }: Match): void {
    const { start, countdownMs } = config.lobby
    if (phase === 'loading') this.#checkNumbers(sessions)
    if (phase === 'countdown') this.#countdownAtMs = this.#world.nowMs
    if (phase === 'lobby' || phase === 'loading') this.#countdownAtMs = -1
    if (phase !== 'running' || start === 'when-full' || countdownMs === 0) return
    const isCounted = this.#countdownAtMs >= 0
    this.#world.always('I-24', isCounted, 'The match began without a countdown')
  }

  /** Clients count their orders from 0 with every launch, and so must the relay. */
  #checkNumbers(sessions: Match['sessions']): void {
    for (const { name, nextOrder } of sessions) {
      this.#world.always('I-28', nextOrder === 0, () => {
        return `The match is launched, and order ${nextOrder} is expected of ${name}`
      })
    }
  }

  /** For how long nothing came over a link; 0 for one that is not there. */
  silenceMs(link: number): number {
    return this.#world.nowMs - (this.#heardAtMs.get(link) ?? this.#world.nowMs)
  }

  #notePresence(event: Extract<MatchEvent, { type: 'presence' }>): void {
    const kinds = this.presences.get(event.member) ?? new Set()
    this.presences.set(event.member, kinds.add(event.event))
    this.#world.sometimes('a half-open link was closed', event.event === 'half-open')
    this.#world.sometimes('a hidden client came back', event.event === 'visible')
  }
}

/** How often the relay's own books are looked at: once per second at 30 ticks. */
const checkTicks = 30

function takenSeats({ sessions, room, config }: Match): number {
  let taken = 0
  for (const { seat } of sessions) if (seat !== undefined) taken += 1
  for (let seat = 0; seat < config.seats; seat++) if (room.bots.isBot(seat)) taken += 1
  return taken
}

function noteRunners({ room, config }: Match, oracle: Oracle): void {
  for (let seat = 0; seat < config.seats; seat++) {
    if (room.bots.isBot(seat)) oracle.bots.noteRunner(seat, room.bots.runnerOf(seat))
  }
}
