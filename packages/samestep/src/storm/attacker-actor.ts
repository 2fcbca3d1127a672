import { BitWriter } from '../base/bit-writer.ts'
import { WireError } from '../base/errors.ts'
import type { Prng } from '../base/prng.ts'
import type { Channel } from '../link/channel.ts'
import type { Game } from '../sim/game/define-game.ts'
import { fromHex } from '../sim/hash/hex.ts'
import { writeClientTurn } from '../wire/client-turn.ts'
import type { MatchConfig, MessageBody } from '../wire/messages.ts'
import { decodeMessage, encodeMessage, helloMagic, protocols } from '../wire/messages.ts'
import { isRelayBundles } from '../wire/relay-bundles.ts'
import type { RoomAction } from '../wire/room-actions.ts'
import { writeAction } from '../wire/room-actions.ts'
import { SlotDelta } from '../wire/slot-delta.ts'
import { randomTicket } from './client-actor.ts'
import type { Actor, NodeId } from './engine/actor.ts'
import type { Conditions } from './engine/conditions.ts'
import type { LinkEnd } from './engine/link.ts'
import type { World } from './engine/world.ts'
import type { Oracle } from './oracle.ts'
import { channelFor } from './relay-actor.ts'
import type { RoughKind } from './storm-plan.ts'

/**
 * Somebody who joins like everybody else and then breaks one rule, again and again. Whatever the relay
 * does about it, the others must not notice.
 */
export class AttackerActor implements Actor {
  readonly #world: World
  readonly #oracle: Oracle
  readonly #game: Game
  readonly #kind: RoughKind
  readonly #match: string
  readonly #config: MatchConfig
  readonly #relayNode: NodeId
  readonly #conditions: () => Conditions
  readonly #firstNumber: number
  readonly #random: Prng
  readonly #writer = new BitWriter()
  #end: LinkEnd | undefined
  #channel: Channel | undefined
  #seated: MessageBody<'RelaySeated'> | undefined
  #actAtMs = 0
  #timeMs = 0
  #isStopped = false
  #isStopping = false
  readonly #ticket: Uint8Array
  #self: NodeId = -1
  /** When to try again to get in; `Infinity` for never. */
  #retryAtMs = Number.POSITIVE_INFINITY
  /** Packets that were sent, for replaying. */
  readonly #sent: Uint8Array[] = []
  #orderNumber = 0

  constructor(
    world: World,
    oracle: Oracle,
    game: Game,
    kind: RoughKind,
    match: string,
    config: MatchConfig,
    relayNode: NodeId,
    conditions: () => Conditions,
    firstNumber: number,
  ) {
    this.#world = world
    this.#oracle = oracle
    this.#game = game
    this.#kind = kind
    this.#match = match
    this.#config = config
    this.#relayNode = relayNode
    this.#conditions = conditions
    this.#firstNumber = firstNumber
    this.#random = world.random(`attack/${kind}`)
    this.#ticket = randomTicket(world.random(`ticket/${kind}`))
  }

  start(self: NodeId, nowMs: number): void {
    this.#self = self
    this.#actAtMs = nowMs
    this.#connect()
  }

  #connect(): void {
    this.#retryAtMs = Number.POSITIVE_INFINITY
    this.#end = this.#world.connect(this.#self, this.#relayNode, this.#conditions())
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
    this.#timeMs = Math.max(nowMs, this.#timeMs)
    this.#channel = channelFor(end, this.#firstNumber)(this.#timeMs)
    const { id, version, fingerprint } = this.#game
    const hello: MessageBody<'ClientHello'> = {
      magic: helloMagic,
      protocols: [...protocols],
      gameId: id,
      gameVersion: version,
      fingerprint: fromHex(fingerprint),
    }
    this.#channel.sendControl(encodeMessage('ClientHello', hello), this.#timeMs)
    this.#drain()
  }

  handlePacket(end: LinkEnd, bytes: Uint8Array, nowMs: number): void {
    const channel = this.#channel
    if (end !== this.#end || channel === undefined) return
    this.#timeMs = Math.max(nowMs, this.#timeMs)
    channel.handlePacket(bytes, this.#timeMs)
    for (let next = channel.pollMessage(); next; next = channel.pollMessage()) {
      if (!isRelayBundles(next.bytes)) this.#handleMessage(next.bytes)
    }
    this.#drain()
  }

  handleLinkClosed(end: LinkEnd): void {
    if (end !== this.#end) return
    this.#world.sometimes(`attacker ${this.#kind} was closed`)
    this.#end = undefined
    this.#channel = undefined
    // Until the match has begun it plays honest, and an honest client comes back.
    if (this.#oracle.sealedTick === 0) this.#retryAtMs = this.#timeMs + 500
  }

  handleTime(nowMs: number): void {
    if (this.#isStopping) this.stop()
    this.#timeMs = Math.max(nowMs, this.#timeMs)
    if (this.#timeMs >= this.#retryAtMs && !this.#isStopped) this.#connect()
    const channel = this.#channel
    if (channel === undefined) return
    if (channel.wakeAtMs() <= this.#timeMs) channel.handleTime(this.#timeMs)
    if (channel.state.name === 'closed' && this.#end !== undefined) {
      this.#world.closeLink(this.#end)
      this.handleLinkClosed(this.#end)
      return
    }
    // A match that never begins because of one empty seat would show nothing.
    const isRunning = this.#seated !== undefined && this.#oracle.sealedTick > 0
    if (this.#seated !== undefined && this.#timeMs >= this.#actAtMs) {
      this.#actAtMs = this.#timeMs + this.#random.exponential() * 80
      if (isRunning) this.#act(channel)
      else if (this.#random.chance(0.1)) this.#idle(channel)
    }
    this.#drain()
  }

  wakeAtMs(): number {
    if (this.#isStopped) return Number.POSITIVE_INFINITY
    if (this.#channel === undefined) return this.#retryAtMs
    const act = this.#seated === undefined ? Number.POSITIVE_INFINITY : this.#actAtMs + 1
    return Math.min(this.#channel.wakeAtMs(), act)
  }

  #handleMessage(bytes: Uint8Array): void {
    try {
      const message = decodeMessage(bytes)
      if (message.name === 'RelayWelcome') this.#join()
      if (message.name === 'RelaySeated') {
        this.#seated = message.body
        const { seat, isLaunched } = message.body
        if (seat !== undefined && isLaunched) this.#oracle.noteStranger(seat)
      }
      if (message.name === 'RelayRoom') this.#takePart(message.body)
      if (message.name === 'RelayLaunch') {
        if (message.body.seat !== undefined) this.#oracle.noteStranger(message.body.seat)
        this.#ask({ type: 'report-load', progress: 100 })
      }
    } catch (error) {
      if (!(error instanceof WireError)) throw error
    }
  }

  /** Until the match begins it does what everybody waits for. */
  #takePart(room: MessageBody<'RelayRoom'>): void {
    const own = room.members.find(({ id }) => id === this.#seated?.member)
    if (own === undefined) return
    if (room.phase === 'loading' && own.loadProgress < 100) {
      this.#ask({ type: 'report-load', progress: 100 })
    }
    if (room.phase !== 'lobby') return
    // Bots and the start are for people to see to.
    const other = room.members.find(({ name, role }) => name !== alias && role === 'player')
    if (own.isOwner && other !== undefined) this.#ask({ type: 'give-ownership', member: other.id })
    const isFirst = room.members.every(({ name, isReady }) => name === alias || !isReady)
    if (own.isReady || isFirst || this.#config.lobby.start === 'when-full') return
    this.#ask({ type: 'set-ready', isReady: true, optionsRevision: room.optionsRevision })
  }

  #ask(action: RoomAction): void {
    this.#channel?.sendControl(encodeMessage('ClientAct', writeAction(action)), this.#timeMs)
  }

  #join(): void {
    const body: MessageBody<'ClientJoin'> = {
      match: this.#match,
      name: alias,
      role: 'player',
      config: this.#config,
      ticket: this.#ticket,
      nextTick: 1,
    }
    this.#channel?.sendControl(encodeMessage('ClientJoin', body), this.#timeMs)
  }

  /** Says that it is there, and orders something before there is a match. */
  #idle(channel: Channel): void {
    channel.sendControl(encodeMessage('ClientHere', { activity: 'active' }), this.#timeMs)
    if (this.#kind === 'flooder' || this.#config.lobby.start === 'when-full') return
    channel.sendTick(this.#turn(0, 0, [this.#noise(20)]), this.#timeMs)
    this.#orderNumber += 1
  }

  #act(channel: Channel): void {
    switch (this.#kind) {
      case 'garbage':
        this.#sendGarbage(channel)
        return
      case 'replayer':
        for (let index = 0; index < 5 && this.#sent.length > 0; index++) {
          const old = this.#random.pick(this.#sent)
          if (this.#end !== undefined) this.#world.send(this.#end, old.slice())
        }
        channel.sendTick(this.#turn(0, 0, []), this.#timeMs)
        return
      case 'flooder':
        for (let index = 0; index < 30; index++) {
          const orders = Array.from({ length: 1 + this.#random.below(3) }, () => this.#noise(300))
          channel.sendTick(this.#turn(0, 0, orders), this.#timeMs)
          this.#orderNumber += orders.length
        }
        return
      case 'traveller': {
        const sealed = this.#oracle.sealedTick
        const offset = this.#random.pick([-2_000, -70, -1, 1, 60, 70, 500, 30_000])
        channel.sendTick(this.#turn(sealed + offset, 1 + this.#random.below(3), []), this.#timeMs)
        return
      }
      case 'stranger':
        channel.sendControl(this.#noiseMessage(), this.#timeMs)
    }
  }

  /** A turn with inputs stamped for `lastTick`, or none. Says that nothing was received. */
  #turn(lastTick: number, inputCount: number, orders: Uint8Array[]): Uint8Array {
    const delta = new SlotDelta(this.#config.inputSlots)
    const inputs = new Uint32Array(Math.max(inputCount, 1) * delta.slotCount)
    for (let index = 0; index < inputCount; index++) {
      delta.writeInitial(inputs, index * delta.slotCount)
    }
    this.#writer.reset()
    writeClientTurn(this.#writer, delta, {
      received: 0,
      controlSeen: 0,
      report: undefined,
      heldMs: 0,
      hash: undefined,
      firstInputTick: Math.max(lastTick - inputCount + 1, 1),
      inputs,
      inputCount: delta.slotCount === 0 ? 0 : inputCount,
      firstOrderNumber: this.#orderNumber,
      orders,
    })
    return this.#writer.finish()
  }

  /** Half of it as a packet of our own making, half as a message that passes for a turn. */
  #sendGarbage(channel: Channel): void {
    const bytes = this.#garbage()
    if (this.#random.chance(0.5)) {
      if (this.#end !== undefined) this.#world.send(this.#end, bytes)
      return
    }
    bytes[0] = 0x40 | (bytes[0]! & 0x3f)
    channel.sendTick(bytes, this.#timeMs)
  }

  /** A valid turn with some bits turned, cut or added, or nothing but noise. */
  #garbage(): Uint8Array {
    if (this.#random.chance(0.2)) return this.#noise(200)
    const bytes = this.#turn(this.#oracle.sealedTick + 3, 2, [this.#noise(20)])
    const mutated = this.#random.chance(0.3)
      ? bytes.slice(0, this.#random.below(bytes.length))
      : bytes
    for (let flips = this.#random.below(4); flips > 0 && mutated.length > 0; flips--) {
      const at = this.#random.below(mutated.length)
      mutated[at] = mutated[at]! ^ (1 << this.#random.below(8))
    }
    return mutated.length === 0 ? this.#noise(4) : mutated
  }

  /** Noise that passes for a control message by its first byte. */
  #noiseMessage(): Uint8Array {
    const bytes = this.#noise(64)
    bytes[0] = bytes[0]! % 0x3e
    return bytes
  }

  #noise(most: number): Uint8Array {
    return Uint8Array.from({ length: 1 + this.#random.below(most) }, () => this.#random.below(256))
  }

  #drain(): void {
    for (let bytes = this.#channel?.pollPacket(); bytes; bytes = this.#channel?.pollPacket()) {
      if (this.#sent.length < 64) this.#sent.push(bytes.slice())
      if (this.#end !== undefined) this.#world.send(this.#end, bytes)
    }
  }
}

/** What they call themselves. */
const alias = 'mallory'
