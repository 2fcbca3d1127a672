import type { Prng } from '../../base/prng.ts'
import type { ChannelFactory } from '../../link/channel.ts'
import { DatagramChannel } from '../../link/datagram/datagram-channel.ts'
import { StreamChannel } from '../../link/stream/stream-channel.ts'
import type { MatchHistory } from '../../record/index.ts'
import type { AuthorizationRequest } from '../../relay/links/authorization.ts'
import type { Match } from '../../relay/match/match.ts'
import type { MatchEvent } from '../../relay/match/match-types.ts'
import type { Session } from '../../relay/match/session.ts'
import { Relay } from '../../relay/relay.ts'
import { RelayPump } from '../../relay/relay-pump.ts'
import type { Doors } from '../../wire/messages/doors.ts'
import { doorKeyBytes, noDoors } from '../../wire/messages/doors.ts'
import { CrashBook } from '../checks/crash-book.ts'
import type { Oracle } from '../checks/oracle.ts'
import { checkStretch, FlushCheck } from '../checks/pace-checks.ts'
import type { Actor } from '../engine/actor.ts'
import type { LinkEnd } from '../engine/network/link.ts'
import type { NodeId } from '../engine/node-id.ts'
import type { World } from '../engine/world.ts'
import { knobDefaults, type StormKnobs } from '../plan/storm-knobs.ts'
import { CrashFault } from './crash-fault.ts'
import type { Gatekeeper } from './gatekeeper.ts'
import { Operator } from './operator.ts'

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

/** A relay that takes datagrams as well. */
const oneDoor: Doors = { udp: { port: 1, key: new Uint8Array(doorKeyBytes) }, webrtc: false }

/** What of a plan concerns its relay. */
type RelayKnobs = Pick<StormKnobs, 'firstNumber' | 'waitingOrdersMax' | 'crashesPerMinute'> &
  Partial<Pick<StormKnobs, 'caps' | 'movesPerMinute'>>

/** Hears of one type of event, and who was in the match then. */
type Listener<Type extends MatchEvent['type']> = (
  event: Extract<MatchEvent, { type: Type }>,
  there: readonly Session[],
) => void

/** A relay in a storm, with an oracle that writes down what it seals. */
export class RelayActor implements Actor {
  relay: Relay
  #pump: RelayPump
  readonly #crash: CrashFault | undefined
  readonly #crashes: CrashBook
  readonly #operator: Operator | undefined
  /** When another process is there, by the clock of the machine; `Infinity` while there is one. */
  #reviveAtMs = Number.POSITIVE_INFINITY
  #files = 0
  #self: NodeId = -1
  readonly #waitingOrdersMax: number
  readonly #caps: StormKnobs['caps']
  readonly #doors: Doors
  readonly #gatekeeper: Gatekeeper | undefined
  readonly #world: World
  readonly #oracles: ReadonlyMap<string, Oracle>
  readonly #ends = new Map<number, LinkEnd>()
  readonly #firstNumber: number
  readonly #random: Prng
  /** By link: when something came over it, in the world's time. */
  readonly #heardAtMs = new Map<number, number>()
  readonly #flushes: FlushCheck
  /** When the match began to count down, in the world's time; below 0 while it does not. */
  #countdownAtMs = -1
  /** By member: what others were told about it. */
  readonly presences = new Map<number, Set<string>>()
  /** Told now and then of the match as it stands. */
  onCheck: ((match: Match) => void) | undefined
  /** Told that machines differ. */
  onMismatch: Listener<'hash-mismatch'> | undefined
  /** Told that the match stops for it. */
  onHalted: (() => void) | undefined
  /** Told that somebody is to be given the state of the majority, or has it. */
  onResync: (() => void) | undefined
  /** Told what is found out about it. */
  onFound: Listener<'desync-found'> | undefined

  constructor(
    world: World,
    oracles: ReadonlyMap<string, Oracle>,
    knobs: RelayKnobs = knobDefaults,
    gatekeeper?: Gatekeeper,
  ) {
    const { firstNumber, waitingOrdersMax, crashesPerMinute, caps = null } = knobs
    this.#doors = (knobs.movesPerMinute ?? 0) > 0 ? oneDoor : noDoors
    this.#caps = caps
    this.#gatekeeper = gatekeeper
    this.#waitingOrdersMax = waitingOrdersMax
    if (crashesPerMinute > 0) {
      this.#crash = new CrashFault(world.random('crash'), crashesPerMinute)
      this.#operator = new Operator(world.random('operator'), oracles)
    }
    this.#world = world
    this.#oracles = oracles
    this.#firstNumber = firstNumber
    this.#flushes = new FlushCheck(world)
    this.#crashes = new CrashBook(world)
    this.#random = world.random('relay')
    this.relay = this.#makeRelay()
    this.#pump = this.#makePump()
    this.#startFile()
  }

  /** Tells the actor which node it is. */
  start(self: NodeId): void {
    this.#self = self
  }

  /** Lives on for good: what comes is quiet. */
  calmDown(): void {
    this.#crash?.stop()
    this.#gatekeeper?.calmDown()
  }

  #makeRelay(): Relay {
    const random = this.#random
    return new Relay({
      waitingOrdersMax: this.#waitingOrdersMax,
      witnesses: 'anyone',
      doors: () => this.#doors,
      randomBytes: (count) => Uint8Array.from({ length: count }, () => random.below(256)),
      isRecorded: this.#crash !== undefined,
      isAuthorizing: this.#gatekeeper !== undefined,
      ...this.#caps,
    })
  }

  #makePump(): RelayPump {
    const crash = this.#crash
    const mayDo = () => crash === undefined || crash.mayDo()
    return new RelayPump(this.relay, {
      send: (link, bytes) => mayDo() && this.#send(link, bytes),
      close: (link) => mayDo() && this.#close(link),
      handleMatch: (match, event) => {
        // What is written happened, whether or not anybody is told.
        if (crash?.isDead !== true) this.#note(match, event)
      },
      handleAuthorize: (link, request) => this.#ask(link, request),
      ...(crash && { record: (bytes: Uint8Array) => crash.append(bytes) }),
    })
  }

  #startFile(): void {
    if (this.#crash === undefined) return
    this.#files += 1
    this.relay.startRecord(new Uint8Array(8).fill(this.#files % 256))
    this.#pump.drain()
  }

  /** Somebody else decides about a join, and says so when it likes. */
  #ask(link: number, request: AuthorizationRequest): void {
    const delayMs = this.#gatekeeper?.drawDelayMs() ?? 0
    const answer = this.#gatekeeper?.answer(request)
    if (answer === undefined || delayMs === Number.POSITIVE_INFINITY) return
    const pump = this.#pump
    this.#world.atNode(this.#self, this.#world.nowMs + delayMs, (nowMs) => {
      // A process that died has forgotten what it asked for.
      if (pump !== this.#pump) return
      this.#call(() => pump.handleAuthorized(link, answer, nowMs), nowMs)
      this.#check()
    })
  }

  /** Does something, unless there is nobody to do it; it may be the last thing that is done. */
  #call(what: () => void, nowMs: number): void {
    const crash = this.#crash
    if (crash === undefined) {
      what()
      return
    }
    if (crash.isDead) return
    crash.beginCall(this.#world.nowMs)
    what()
    crash.endCall()
    if (crash.isDead) this.#die(crash, nowMs)
    else for (const match of this.relay.matches.values()) this.#crashes.note(match)
  }

  /** The process is gone, and every link with it. */
  #die(crash: CrashFault, nowMs: number): void {
    for (const link of [...this.#ends.keys()]) this.#close(link)
    const downMs = crash.drawDownMs()
    for (const oracle of this.#oracles.values()) {
      oracle.noteRest()
      oracle.noteDisturbed(downMs)
    }
    this.#world.sometimes('a relay crashed', true)
    this.#reviveAtMs = nowMs + downMs
  }

  /** Another process goes on from the files. */
  #revive(crash: CrashFault, nowMs: number): void {
    this.#reviveAtMs = Number.POSITIVE_INFINITY
    const histories = crash.revive()
    this.relay = this.#makeRelay()
    this.#pump = this.#makePump()
    for (const history of histories) {
      const isBack = this.relay.restoreMatch(history, nowMs)
      this.#world.always('I-02', isBack, `Match ${history.match.name} did not come back`)
      this.#world.sometimes('a match went on after a crash', history.sealedTick > 0)
      this.#noteWritten(history)
    }
    for (const match of this.relay.matches.values()) {
      this.#crashes.check(match)
      this.#oracles.get(match.name)?.attendance.noteCall(match)
    }
    for (const oracle of this.#oracles.values()) oracle.noteRest()
    this.#startFile()
  }

  /** A process that died right after it wrote has told nobody of a tick that is sealed all the same. */
  #noteWritten({ match: { name }, firstTick, sealedTick, bundles }: MatchHistory): void {
    const known = this.#oracles.get(name)?.sealedTick ?? sealedTick
    for (let tick = known + 1; tick <= sealedTick; tick++) {
      const bundle = bundles[tick - firstTick] as Uint8Array
      this.#note(name, { type: 'sealed', tick, bundle })
      this.#world.sometimes('a tick was written that nobody was told of')
    }
  }

  handleLinkOpened(end: LinkEnd, nowMs: number): void {
    if (this.#crash?.isDead === true) {
      this.#world.closeLink(end)
      return
    }
    this.#ends.set(end.id, end)
    this.#heardAtMs.set(end.id, this.#world.nowMs)
    const makeChannel = channelFor(end, this.#firstNumber)
    // Every node has an address of its own.
    const address = this.#world.nameOf(end.peer)
    this.#call(() => this.#pump.handleLinkOpened(end.id, makeChannel, nowMs, address), nowMs)
    this.#check()
  }

  handlePacket(end: LinkEnd, bytes: Uint8Array, nowMs: number): void {
    this.#heardAtMs.set(end.id, this.#world.nowMs)
    // Without a closure where none is needed: this is half of what happens in a storm.
    if (this.#crash === undefined) this.#pump.handlePacket(end.id, bytes, nowMs)
    else this.#call(() => this.#pump.handlePacket(end.id, bytes, nowMs), nowMs)
    this.#check()
  }

  handleLinkClosed(end: LinkEnd, nowMs: number): void {
    this.#ends.delete(end.id)
    this.#heardAtMs.delete(end.id)
    this.#call(() => this.#pump.handleLinkClosed(end.id, nowMs), nowMs)
    this.#check()
  }

  handleTime(nowMs: number): void {
    if (this.#crash !== undefined && nowMs >= this.#reviveAtMs) this.#revive(this.#crash, nowMs)
    this.#call(() => this.#pump.handleTime(nowMs), nowMs)
    this.#lookIn(nowMs)
    this.#check()
  }

  /** Who runs the relay removes a stranger now and then, by the call that the server makes. */
  #lookIn(nowMs: number): void {
    const chosen = this.#operator?.pick(this.relay, this.#world.nowMs)
    if (chosen === undefined) return
    this.#call(() => {
      this.relay.kick(chosen.match, chosen.seat, nowMs)
      this.#pump.drain()
    }, nowMs)
  }

  wakeAtMs(): number {
    return this.#crash?.isDead === true ? this.#reviveAtMs : this.relay.wakeAtMs()
  }

  /** Whether a node has a link that was not closed yet. */
  isOnLine(name: string): boolean {
    return [...this.#ends.values()].some(({ peer }) => this.#world.nameOf(peer) === name)
  }

  #send(link: number, bytes: Uint8Array): void {
    const end = this.#ends.get(link)
    if (end === undefined) return
    this.#world.send(end, bytes)
    // A transport would close it at this.
    this.#world.always('I-13', end.backlogBytes <= backlogBytesMax, () => {
      return `${end.backlogBytes} bytes wait for ${this.#world.nameOf(end.peer)}`
    })
  }

  #close(link: number): void {
    const end = this.#ends.get(link)
    this.#ends.delete(link)
    this.#heardAtMs.delete(link)
    if (end !== undefined) this.#world.closeLink(end)
  }

  #check(): void {
    for (const [name, match] of this.relay.matches) {
      const oracle = this.#oracles.get(name)
      oracle?.attendance.noteCall(match)
      const isCalm = oracle?.isDisturbed === false
      if (isCalm && match.config.batching === 'adaptive') this.#flushes.check(match)
    }
  }

  #note(name: string, event: MatchEvent): void {
    if (event.type === 'bug') throw event.error
    const oracle = this.#oracles.get(name)
    if (oracle === undefined) return
    const match = this.relay.matches.get(name)
    if (event.type === 'started' && match !== undefined) {
      oracle.noteStarted(match.config, takenSeats(match))
      this.#world.sometimes('launched from a lobby', match.config.lobby.start !== 'when-full')
    }
    if (event.type === 'phase' && match !== undefined) this.#notePhase(event.phase, match)
    if (event.type === 'left') oracle.noteLeft(event.seat)
    const isChanged = event.type === 'joined' || event.type === 'left'
    if (isChanged && match !== undefined) oracle.noteTaken(takenSeats(match))
    if (event.type === 'rest') {
      oracle.noteRest()
      this.#world.sometimes('a match rested without a link', event.isResting)
    }
    if (event.type === 'presence') this.#notePresence(event)
    if (event.type === 'sealed') {
      this.#flushes.noteSealed(event.tick)
      if (match !== undefined) noteRunners(match, oracle)
      oracle.noteSealed(event.tick, event.bundle)
      if (match !== undefined) oracle.neededTick = match.neededTick
      if (match !== undefined) checkStretch(this.#world, match)
      if (match !== undefined && event.tick % match.config.tickRate === 0) this.onCheck?.(match)
    }
    if (event.type === 'halted') this.onHalted?.()
    if (event.type === 'resync') this.onResync?.()
    if (match === undefined) return
    const { attendance } = oracle
    if (event.type === 'hash-mismatch') this.onMismatch?.(event, attendance.at(match))
    if (event.type === 'desync-found') this.onFound?.(event, attendance.at(match))
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

/** As in `transport`: what a socket may have in front of it. */
const backlogBytesMax = 1_048_576

function takenSeats({ sessions, room, config }: Match): number {
  let taken = 0
  for (const { seat } of sessions) if (seat !== undefined) taken += 1
  for (let seat = 0; seat < config.seats; seat++) if (room.bots.at(seat) !== undefined) taken += 1
  return taken
}

function noteRunners({ room, config, sealer }: Match, oracle: Oracle): void {
  for (let seat = 0; seat < config.seats; seat++) {
    const bot = room.bots.at(seat)
    if (bot === undefined) continue
    oracle.bots.noteRunner(seat, bot.runner?.id, bot.turn, sealer.isPaused)
  }
}
