import { Members } from '../../room/members.ts'
import { Room, type RoomHost } from '../../room/room.ts'
import type { MatchConfig } from '../../wire/messages/match-config.ts'
import { PresenceWatch } from '../guard/presence-watch.ts'
import { MatchStates } from '../join/match-states.ts'
import { DesyncWatch } from './hashes/desync-watch.ts'
import { MatchTurns } from './match-turns.ts'
import type { Fault, MatchSpec } from './match-types.ts'
import { makeRulebook, type OrderRulebook } from './orders/order-table.ts'
import { RelayOrders } from './orders/relay-orders.ts'
import { Departures } from './people/departures.ts'
import { KickedList } from './people/kicked-list.ts'
import { MemberMaker } from './people/member-maker.ts'
import { Opening } from './people/opening.ts'
import { PastSpeech } from './people/past-speech.ts'
import { SeatWatch } from './people/seat-watch.ts'
import { RoomIntake } from './room-intake.ts'
import type { Session } from './session.ts'
import { TickCore } from './ticks/tick-core.ts'

/**
 * The parts of a match, and how events in one part reach the others. A part that is created before
 * those that it calls finds them here when it needs them.
 */
export class MatchParts {
  /** What the match was created with; its options are final once it is launched. */
  config: MatchConfig
  readonly members: Members<Session>
  readonly kicked: KickedList
  readonly pastSpeech = new PastSpeech()
  readonly ticks: TickCore
  readonly room: Room
  readonly desync: DesyncWatch
  readonly departures: Departures
  readonly states: MatchStates
  readonly seats: SeatWatch
  readonly presence: PresenceWatch
  readonly maker: MemberMaker
  readonly turns: MatchTurns
  readonly roomIntake: RoomIntake
  readonly ownOrders: RelayOrders
  readonly #opening: Opening
  readonly #expelLate = (session: Session, fault: Fault, nowMs: number): void =>
    this.departures.expel(session, 'timeout', fault, nowMs)
  readonly #expelRefused = (session: Session, fault: Fault, nowMs: number): void =>
    this.departures.expel(session, 'refused', fault, nowMs)
  readonly #isRunning = (): boolean => this.room.lobby.phase === 'running'

  constructor(spec: MatchSpec) {
    const { config, emit, notes } = spec
    const rules = makeRulebook(config)
    this.config = config
    this.members = new Members(config.seats)
    this.kicked = new KickedList(spec.kicksAddresses === true)
    this.ticks = this.#makeTicks(spec, rules)
    this.room = this.#makeRoom(spec)
    this.desync = this.#makeDesync(spec)
    const { members, kicked, pastSpeech, ticks, room, desync } = this
    const { sealer, log, watch, view } = ticks
    this.#opening = new Opening({ members, ticks, room, emit })
    this.departures = new Departures({
      members,
      ticks,
      room,
      desync,
      kicked,
      pastSpeech,
      emit,
      forget: (session, nowMs) => this.states.handleDetached(session, nowMs),
    })
    this.states = this.#makeStates(spec)
    this.seats = new SeatWatch({
      members,
      room,
      ticks,
      desync,
      emit,
      rules: config.lobby,
      isRunning: this.#isRunning,
      expel: this.#expelLate,
    })
    this.presence = new PresenceWatch({
      members,
      watch,
      room,
      log,
      emit,
      drop: (session, blame, nowMs) => this.departures.drop(session, blame, nowMs),
      closeLink: (session) => this.departures.closeLink(session),
    })
    this.maker = new MemberMaker(members, config, rules, this.presence.alarm, view)
    this.turns = new MatchTurns({
      members,
      sealer,
      log,
      room,
      watch,
      desync,
      rules,
      notes,
      emit,
      waiting: spec.waitingTurns,
      expel: this.#expelRefused,
      note: (session, nowMs) => this.presence.note(session, nowMs),
      noteAct: (session, nowMs) => this.seats.noteAct(session, nowMs),
    })
    this.roomIntake = new RoomIntake({
      sealer,
      log,
      room,
      rules,
      strike: (session, reason, nowMs) => this.turns.strike(session, reason, nowMs),
      noteAct: (session, nowMs) => this.seats.noteAct(session, nowMs),
    })
    this.ownOrders = new RelayOrders({ sealer, room, rules, notes })
  }

  /** Ticks per second, at least those of normal speed: a slow match may be faster soon. */
  get ticksPerSecond(): number {
    return (this.config.tickRate * Math.max(this.room.pace.effectivePercent, 100)) / 100
  }

  #makeTicks(spec: MatchSpec, rules: OrderRulebook | undefined): TickCore {
    const { config, emit, randomWord, waitingMax, notes, makeUpMs } = spec
    const host = {
      makeUpMs,
      emit,
      randomWord,
      neededTick: () => this.states.neededTick,
      steer: (nowMs: number) => {
        const { room, ticks } = this
        if (ticks.watch.steer(ticks.sealer, room.pace, nowMs)) room.settle(nowMs)
      },
      takeStats: (nowMs: number) => {
        const { log, watch, view } = this.ticks
        const { hashes } = this.desync
        return watch.takeStats(this.room.pace, hashes, log.sealedTick, nowMs, view?.visibleTick)
      },
      showWaiting: (seats: readonly number[]) => this.room.showWaiting(seats),
      expelBehind: (session: Session, nowMs: number) => this.departures.expelBehind(session, nowMs),
    }
    return new TickCore(config, this.members, host, rules, waitingMax, notes)
  }

  #makeRoom({ config, limits, nowMs: bornAtMs, notes }: MatchSpec): Room {
    const host: RoomHost = {
      seal: (event) => this.ticks.sealer.addEvent(event),
      setSpeed: (percent, nowMs) => this.ticks.setSpeed(percent, this.ticksPerSecond, nowMs),
      switchSeat: (change, nowMs) => {
        this.seats.switchSeat(change, nowMs)
        this.states.handleSeats(nowMs)
      },
      expel: ({ id }, why, message, nowMs) => this.departures.expelMember(id, why, message, nowMs),
      enter: (phase, nowMs) => {
        const options = this.#opening.enter(phase, this.config.tickRate, nowMs)
        if (options !== undefined) this.config = { ...this.config, options }
      },
      noteSaid: (member, scope, text) => notes?.said.push({ member, scope, text }),
    }
    return new Room(config, this.members, host, bornAtMs, limits)
  }

  #makeDesync(spec: MatchSpec): DesyncWatch {
    const { log, view } = this.ticks
    const about = { ...spec, log, finalConfig: () => this.config }
    const reactions = {
      halt: (nowMs: number) => this.room.halt(nowMs),
      resync: (session: Session, nowMs: number) => {
        this.desync.forgetState(session)
        this.states.resync(session, nowMs)
      },
      expel: this.#expelRefused,
    }
    return new DesyncWatch(this.members, about, reactions, view?.delayMs)
  }

  #makeStates({ config, emit, keepsStates }: MatchSpec): MatchStates {
    const { members, ticks } = this
    return new MatchStates({
      members,
      log: ticks.log,
      view: ticks.view,
      emit,
      isRunning: this.#isRunning,
      tickRate: config.tickRate,
      ticksPerSecond: () => this.ticksPerSecond,
      isKeeping: keepsStates ?? true,
      sit: (seat) => ticks.sit(seat),
      handleStage: (nowMs) => this.room.handlePresence(nowMs),
      handleBack: (session, nowMs) => this.seats.handleBack(session, nowMs),
      expel: this.#expelLate,
    })
  }
}
