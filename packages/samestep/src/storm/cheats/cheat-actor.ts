import { MachineClock } from '../../base/machine-clock.ts'
import type { Prng } from '../../base/prng.ts'
import { Client } from '../../client/client.ts'
import type { ClientOptions } from '../../client/membership/client-options.ts'
import { makeRunning } from '../../client/run/make-running.ts'
import { digestNow } from '../../client/state/digests.ts'
import type { RoomView } from '../../client/status/room-view.ts'
import type { Channel } from '../../link/channel.ts'
import type { GameShape } from '../../sim/game/definition/context.ts'
import type { Game } from '../../sim/game/definition/define-game.ts'
import { encodeMessage } from '../../wire/messages/messages.ts'
import type { RoomAction } from '../../wire/messages/room-actions.ts'
import { writeAction } from '../../wire/messages/room-actions.ts'
import { channelFor } from '../actors/relay-actor.ts'
import type { RoomPlan } from '../actors/room-habits.ts'
import { isPast, RoomHabits } from '../actors/room-habits.ts'
import type { Oracle } from '../checks/oracle.ts'
import type { Actor } from '../engine/actor.ts'
import type { Conditions } from '../engine/network/conditions.ts'
import type { LinkEnd } from '../engine/network/link.ts'
import type { NodeId } from '../engine/node-id.ts'
import type { World } from '../engine/world.ts'
import type { CheatKind } from '../plan/attack-kinds.ts'
import type { Cheat, Cheater } from './cheat.ts'
import { cheats } from './cheats.ts'

/** What a cheat is made of. */
export interface CheatSpec {
  readonly name: string
  readonly kind: CheatKind
  readonly options: ClientOptions<GameShape>
  readonly room: RoomPlan
  readonly firstNumber: number
}

/**
 * Somebody who plays with a real client and, once the match runs, carries out one {@link Cheat}.
 * What the relay does about it is known for each of them, and is checked.
 */
export class CheatActor implements Actor, Cheater {
  readonly spec: CheatSpec
  readonly client: Client
  readonly world: World
  readonly oracle: Oracle
  readonly random: Prng
  readonly #cheat: Cheat
  readonly #relayNode: NodeId
  readonly #conditions: () => Conditions
  readonly #habits: RoomHabits
  #self: NodeId = -1
  #end: LinkEnd | undefined
  #channel: Channel | undefined
  /** Goes as the client's own, whose channel it uses behind its back. */
  readonly #clock = new MachineClock()
  #actAtMs = 0
  /** What its own clock said last. */
  #localMs = 0
  #isStopped = false
  #isStopping = false
  /** Until when nothing goes out, in the world's time; and what does not. */
  #heldUntilMs = 0
  readonly #held: Uint8Array[] = []
  /** How often it broke its rule, and when it first did, in the world's time. */
  misdeeds = 0
  firstMisdeedMs = Number.POSITIVE_INFINITY
  /** Wishes of his that were not granted. */
  denials = 0
  closedReason: string | undefined

  constructor(
    world: World,
    game: Game,
    spec: CheatSpec,
    relayNode: NodeId,
    oracle: Oracle,
    conditions: () => Conditions,
  ) {
    this.spec = spec
    this.world = world
    this.oracle = oracle
    this.#relayNode = relayNode
    this.#conditions = conditions
    this.random = world.random(`attack/${spec.kind}`)
    this.client = new Client(game, spec.options, makeRunning)
    this.#cheat = new cheats[spec.kind](this)
    this.#habits = new RoomHabits(world, this.client, spec.name, spec.room, {
      isStranger: () => false,
      noteBallot: () => {},
      noteHeir: () => {},
    })
  }

  get name(): string {
    return this.spec.name
  }

  get room(): RoomPlan {
    return this.spec.room
  }

  get timeMs(): number {
    return this.#clock.timeMs
  }

  start(self: NodeId, nowMs: number): void {
    this.#self = self
    this.handleTime(nowMs)
  }

  /**
   * Ends the attack: the quiet phase is for the others. Who is waited for in a lobby stays until the
   * match begins.
   */
  stop(): void {
    this.#isStopping = true
    if (this.oracle.sealedTick === 0) return
    this.#isStopped = true
    if (this.#end !== undefined) this.world.closeLink(this.#end)
    this.#end = undefined
    this.#channel = undefined
  }

  handleLinkOpened(end: LinkEnd, nowMs: number): void {
    this.#localMs = nowMs
    if (end !== this.#end || this.#isStopped) return
    this.#clock.advance(nowMs)
    const makeChannel = channelFor(end, this.spec.firstNumber)
    this.client.handleLinkOpened((timeMs) => {
      this.#channel = makeChannel(timeMs)
      return this.#cheat.wrap?.(this.#channel) ?? this.#channel
    }, nowMs)
    this.#drain()
  }

  handlePacket(end: LinkEnd, bytes: Uint8Array, nowMs: number): void {
    this.#localMs = nowMs
    if (end !== this.#end) return
    this.#clock.advance(nowMs)
    this.client.handlePacket(bytes, nowMs)
    this.client.runTicks(Number.POSITIVE_INFINITY)
    this.#drain()
  }

  handleLinkClosed(end: LinkEnd, nowMs: number): void {
    this.#localMs = nowMs
    if (end !== this.#end) return
    this.#end = undefined
    this.#channel = undefined
    this.#held.length = 0
    this.#clock.advance(nowMs)
    this.client.handleLinkClosed(nowMs)
    this.#drain()
  }

  handleTime(nowMs: number): void {
    this.#localMs = nowMs
    if (this.#isStopping) this.stop()
    if (this.#isStopped) return
    this.#clock.advance(nowMs)
    this.client.handleTime(nowMs)
    this.#habits.act(nowMs)
    if (this.#isPlaying && isPast(this.#actAtMs, nowMs)) {
      this.#actAtMs = nowMs + this.#cheat.everyMs * this.random.exponential()
      this.#misbehave()
    }
    this.#drain()
  }

  wakeAtMs(): number {
    if (this.#self < 0 || this.#isStopped) return Number.POSITIVE_INFINITY
    const { client } = this
    const act = this.#isPlaying ? this.#actAtMs : Number.POSITIVE_INFINITY
    return Math.min(client.wakeAtMs(), this.#habits.wakeAtMs(), act)
  }

  get #isPlaying(): boolean {
    return this.client.cursors.simulatedTick > 0 && this.client.status === 'active'
  }

  #misbehave(): void {
    if (this.#channel === undefined || !this.#cheat.commit(this.#channel)) return
    this.misdeeds += 1
    if (this.misdeeds === 1) this.firstMisdeedMs = this.world.nowMs
  }

  say(channel: Channel, action: RoomAction): void {
    channel.sendControl(encodeMessage('ClientAct', writeAction(action)), this.timeMs)
  }

  hold(forMs: number): void {
    this.#heldUntilMs = this.world.nowMs + forMs
  }

  #drain(): void {
    for (let event = this.client.pollEvent(); event; event = this.client.pollEvent()) {
      this.#habits.handleEvent(event)
      if (event.type === 'digest') {
        this.client.handleDigest(event.job, digestNow(event.job), this.#localMs)
      }
      if (event.type === 'want-link' && !this.#isStopped) this.#connect()
      if (event.type === 'launched' && event.seat !== undefined) {
        this.oracle.noteStranger(event.seat)
      }
      if (event.type === 'vote') this.#cheat.handleVote?.(event.body)
      if (event.type === 'denied') this.denials += 1
      if (event.type === 'room') this.#giveAway(event.body)
      if (event.type === 'closed') this.#noteClosed(event.reason)
    }
    for (let bytes = this.client.pollPacket(); bytes; bytes = this.client.pollPacket()) {
      this.#held.push(bytes)
    }
    if (this.world.nowMs < this.#heldUntilMs) return
    for (const bytes of this.#held.splice(0)) {
      if (this.#end !== undefined) this.world.send(this.#end, bytes)
    }
  }

  /** An owner may do what nobody else may: that would be no cheating. */
  #giveAway({ members }: RoomView): void {
    const isOwner = members.find(({ id }) => id === this.client.member)?.isOwner === true
    const heir = members.find(({ name, role }) => role === 'player' && !isCheatName(name))
    if (!isOwner || heir === undefined || this.#channel === undefined) return
    this.say(this.#channel, { type: 'give-ownership', member: heir.id })
  }

  #noteClosed(reason: string): void {
    this.closedReason = reason
    this.world.sometimes(`attacker ${this.spec.kind} was closed`)
  }

  #connect(): void {
    if (this.#end !== undefined) this.world.closeLink(this.#end)
    // What was held back for the old link makes no sense on another one.
    this.#held.length = 0
    this.#end = this.world.connect(this.#self, this.#relayNode, this.#conditions())
  }
}

/** Whether somebody of that name is an attacker. */
function isCheatName(name: string): boolean {
  return name.startsWith('x-') || name === 'mallory'
}
