import { BitWriter } from '../../base/bit-writer.ts'
import { MachineClock } from '../../base/machine-clock.ts'
import type { Prng } from '../../base/prng.ts'
import { Client } from '../../client/client.ts'
import type { ClientOptions } from '../../client/membership/client-options.ts'
import type { RoomView } from '../../client/status/play-state.ts'
import type { Channel } from '../../link/channel.ts'
import type { GameShape } from '../../sim/game/context.ts'
import type { Game } from '../../sim/game/define-game.ts'
import { writeClientTurn } from '../../wire/client-turn.ts'
import { encodeMessage } from '../../wire/messages.ts'
import type { RoomAction } from '../../wire/room-actions.ts'
import { voteWords, writeAction } from '../../wire/room-actions.ts'
import { SlotDelta } from '../../wire/slot-delta.ts'
import { channelFor } from '../actors/relay-actor.ts'
import type { RoomPlan } from '../actors/room-habits.ts'
import { isPast, RoomHabits } from '../actors/room-habits.ts'
import type { Oracle } from '../checks/oracle.ts'
import type { Actor } from '../engine/actor.ts'
import type { Conditions } from '../engine/conditions.ts'
import type { LinkEnd } from '../engine/link.ts'
import type { NodeId } from '../engine/node-id.ts'
import type { World } from '../engine/world.ts'
import type { CheatKind } from '../plan/attack-kinds.ts'

/** What a cheat is made of. */
export interface CheatSpec {
  readonly name: string
  readonly kind: CheatKind
  readonly options: ClientOptions<GameShape>
  readonly room: RoomPlan
  readonly firstNumber: number
}

/**
 * Somebody who plays with a real client and, once the match runs, does one thing that no client does.
 * What the relay does about it is known for each of them, and is checked.
 */
export class CheatActor implements Actor {
  readonly spec: CheatSpec
  readonly client: Client
  readonly #world: World
  readonly #oracle: Oracle
  readonly #relayNode: NodeId
  readonly #conditions: () => Conditions
  readonly #random: Prng
  readonly #habits: RoomHabits
  readonly #writer = new BitWriter()
  #self: NodeId = -1
  #end: LinkEnd | undefined
  #channel: Channel | undefined
  /** Goes as the client's own, whose channel it uses behind its back. */
  readonly #clock = new MachineClock()
  #actAtMs = 0
  #isStopped = false
  #isStopping = false
  /** Until when nothing goes out, in the world's time; and what does not. */
  #heldUntilMs = 0
  readonly #held: Uint8Array[] = []
  #openVote = 0
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
    this.#world = world
    this.#oracle = oracle
    this.#relayNode = relayNode
    this.#conditions = conditions
    this.#random = world.random(`attack/${spec.kind}`)
    this.client = new Client(game, spec.options)
    this.#habits = new RoomHabits(world, this.client, spec.name, spec.room, {
      isStranger: () => false,
      noteBallot: () => {},
    })
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
    if (this.#oracle.sealedTick === 0) return
    this.#isStopped = true
    if (this.#end !== undefined) this.#world.closeLink(this.#end)
    this.#end = undefined
    this.#channel = undefined
  }

  handleLinkOpened(end: LinkEnd, nowMs: number): void {
    if (end !== this.#end || this.#isStopped) return
    this.#clock.advance(nowMs)
    const makeChannel = channelFor(end, this.spec.firstNumber)
    this.client.handleLinkOpened((timeMs) => {
      this.#channel = makeChannel(timeMs)
      return this.#channel
    }, nowMs)
    this.#drain()
  }

  handlePacket(end: LinkEnd, bytes: Uint8Array, nowMs: number): void {
    if (end !== this.#end) return
    this.#clock.advance(nowMs)
    this.client.handlePacket(bytes, nowMs)
    this.client.runTicks(Number.POSITIVE_INFINITY)
    this.#drain()
  }

  handleLinkClosed(end: LinkEnd, nowMs: number): void {
    if (end !== this.#end) return
    this.#end = undefined
    this.#channel = undefined
    this.#held.length = 0
    this.#clock.advance(nowMs)
    this.client.handleLinkClosed(nowMs)
    this.#drain()
  }

  handleTime(nowMs: number): void {
    if (this.#isStopping) this.stop()
    if (this.#isStopped) return
    this.#clock.advance(nowMs)
    this.client.handleTime(nowMs)
    this.#habits.act(nowMs)
    if (this.#isPlaying && isPast(this.#actAtMs, nowMs)) {
      this.#actAtMs = nowMs + everyMs[this.spec.kind] * this.#random.exponential()
      this.#cheat()
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

  #cheat(): void {
    const channel = this.#channel
    if (channel === undefined) return
    const random = this.#random
    switch (this.spec.kind) {
      case 'act-flooder':
        for (let left = 60; left > 0; left--) this.#say(channel, { type: 'choose-team', team: 0 })
        break
      case 'spoofer': {
        const seat = random.below(this.spec.room.seats)
        if (this.client.botSeats.includes(seat)) return
        const orders = [Uint8Array.of(random.below(256), random.below(256))]
        const body = { seat, turn: random.below(3), firstNumber: 0, orders }
        channel.sendControl(encodeMessage('ClientBotOrders', body), this.#clock.timeMs)
        break
      }
      case 'token-forger':
        channel.sendTick(this.#forgedTurn(), this.#clock.timeMs)
        break
      case 'pause-abuser':
        this.#say(channel, this.#paceWish())
        break
      case 'vote-stuffer':
        this.#stuff(channel)
        break
      case 'lag-switch':
        this.#heldUntilMs = this.#world.nowMs + 2_000 + random.below(4_000)
    }
    this.misdeeds += 1
    if (this.misdeeds === 1) this.firstMisdeedMs = this.#world.nowMs
  }

  #paceWish(): RoomAction {
    const random = this.#random
    if (random.chance(0.2)) return { type: 'set-speed', percent: 50 + random.below(100) }
    return { type: random.chance(0.7) ? 'pause' : 'resume' }
  }

  /** Says yes as often as it can, and proposes whatever comes to mind. */
  #stuff(channel: Channel): void {
    const { seats } = this.spec.room
    const random = this.#random
    const name = this.spec.name
    for (let left = 1 + random.below(3); left > 0; left--) {
      const id = this.#openVote
      if (id > 0) this.#oracle.votes.noteBallot(name, id, true)
      this.#say(channel, { type: 'cast', id, isYes: true })
    }
    const target = random.chance(0.2) ? (this.client.seat ?? 0) : random.below(seats)
    const vote = random.chance(0.7) ? 'kick' : random.pick(voteWords)
    this.#say(channel, { type: 'propose', vote, target, percent: 120 })
  }

  #forgedTurn(): Uint8Array {
    const delta = new SlotDelta([])
    this.#writer.reset()
    writeClientTurn(this.#writer, delta, {
      received: this.client.cursors.sealedTick,
      controlSeen: 255,
      report: {
        stamp: 0,
        rttMs: 10,
        activity: 'active',
        loadPercent: 1,
        token: this.#random.u32(),
      },
      hash: undefined,
      firstInputTick: 0,
      inputs: new Uint32Array(1),
      inputCount: 0,
      heldMs: 0,
      firstOrderNumber: 0,
      orders: [],
    })
    return this.#writer.finish()
  }

  #say(channel: Channel, action: RoomAction): void {
    channel.sendControl(encodeMessage('ClientAct', writeAction(action)), this.#clock.timeMs)
  }

  #drain(): void {
    for (let event = this.client.pollEvent(); event; event = this.client.pollEvent()) {
      this.#habits.handleEvent(event)
      if (event.type === 'want-link' && !this.#isStopped) this.#connect()
      if (event.type === 'launched' && event.seat !== undefined) {
        this.#oracle.noteStranger(event.seat)
      }
      if (event.type === 'vote') this.#openVote = event.body.state === 'open' ? event.body.id : 0
      if (event.type === 'denied') this.denials += 1
      if (event.type === 'room') this.#giveAway(event.body)
      if (event.type === 'closed') this.#noteClosed(event.reason)
    }
    for (let bytes = this.client.pollPacket(); bytes; bytes = this.client.pollPacket()) {
      this.#held.push(bytes)
    }
    if (this.#world.nowMs < this.#heldUntilMs) return
    for (const bytes of this.#held.splice(0)) {
      if (this.#end !== undefined) this.#world.send(this.#end, bytes)
    }
  }

  /** An owner may do what nobody else may: that would be no cheating. */
  #giveAway({ members }: RoomView): void {
    const isOwner = members.find(({ id }) => id === this.client.member)?.isOwner === true
    const heir = members.find(({ name, role }) => role === 'player' && !isCheatName(name))
    if (!isOwner || heir === undefined || this.#channel === undefined) return
    this.#say(this.#channel, { type: 'give-ownership', member: heir.id })
  }

  #noteClosed(reason: string): void {
    this.closedReason = reason
    this.#world.sometimes(`attacker ${this.spec.kind} was closed`)
  }

  #connect(): void {
    if (this.#end !== undefined) this.#world.closeLink(this.#end)
    // What was held back for the old link makes no sense on another one.
    this.#held.length = 0
    this.#end = this.#world.connect(this.#self, this.#relayNode, this.#conditions())
  }
}

/** Whether somebody of that name is an attacker. */
function isCheatName(name: string): boolean {
  return name.startsWith('x-') || name === 'mallory'
}

/** Mean time between two misdeeds of each kind. */
const everyMs: { readonly [K in CheatKind]: number } = {
  'act-flooder': 200,
  spoofer: 300,
  'token-forger': 300,
  'pause-abuser': 400,
  'vote-stuffer': 400,
  // Longer than it holds back, so that it plays in between.
  'lag-switch': 12_000,
}
