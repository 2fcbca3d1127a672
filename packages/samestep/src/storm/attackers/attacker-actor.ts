import { BitWriter } from '../../base/bit-writer.ts'
import { WireError } from '../../base/errors.ts'
import type { Prng } from '../../base/prng.ts'
import type { Channel } from '../../link/channel.ts'
import type { Game } from '../../sim/game/define-game.ts'
import { fromHex } from '../../sim/hash/hex.ts'
import { writeClientTurn } from '../../wire/client-turn.ts'
import type { InputSlot } from '../../wire/input-layout.ts'
import { slotBits } from '../../wire/input-layout.ts'
import type { MatchConfig, MessageBody } from '../../wire/messages.ts'
import { decodeMessage, encodeMessage, helloMagic, protocols } from '../../wire/messages.ts'
import { isRelayBundles, readRelayBundles } from '../../wire/relay-bundles.ts'
import { makeReturnProof, proofBytes } from '../../wire/return-proof.ts'
import type { RoomAction } from '../../wire/room-actions.ts'
import { writeAction } from '../../wire/room-actions.ts'
import { SlotDelta } from '../../wire/slot-delta.ts'
import type { TurnHash } from '../../wire/turn-hash.ts'
import { channelFor } from '../actors/relay-actor.ts'
import { randomSecret, randomTicket } from '../actors/session-keys.ts'
import type { Oracle } from '../checks/oracle.ts'
import type { Actor } from '../engine/actor.ts'
import type { Conditions } from '../engine/conditions.ts'
import type { LinkEnd } from '../engine/link.ts'
import type { NodeId } from '../engine/node-id.ts'
import type { World } from '../engine/world.ts'
import type { RoughKind } from '../plan/storm-plan.ts'
import { noiseMessage, noiseOf } from './noise.ts'

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
  readonly #secret: Uint8Array
  /** Whether it asks for somebody else's session. */
  #isStealing = false
  #self: NodeId = -1
  /** When to try again to get in; `Infinity` for never. */
  #retryAtMs = Number.POSITIVE_INFINITY
  /** Packets that were sent, for replaying. */
  readonly #sent: Uint8Array[] = []
  #orderNumber = 0
  /** The newest tick that came, for lies about it. */
  #received = 0

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
    this.#secret = randomSecret(world.random(`secret/${kind}`))
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
      else if (this.#kind === 'hash-liar') this.#confirm(next.bytes)
    }
    this.#drain()
  }

  handleLinkClosed(end: LinkEnd): void {
    if (end !== this.#end) return
    this.#world.sometimes(`attacker ${this.#kind} was closed`)
    this.#end = undefined
    this.#channel = undefined
    // Until the match has begun it plays honest, and an honest client comes back.
    const isTrying = this.#oracle.sealedTick === 0 || this.#isStealing
    if (isTrying) this.#retryAtMs = this.#timeMs + 500
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
      if (message.name === 'RelayChallenge') this.#answer(message.body)
      if (message.name === 'RelaySeated') {
        this.#world.always('T-68', !this.#isStealing, 'A thief was given the seat of his victim')
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
      ticket: this.#isStealing ? this.#victimTicket : this.#ticket,
      secret: this.#secret,
      nextTick: this.#isStealing ? Math.max(this.#oracle.sealedTick, 1) : 1,
      token: undefined,
    }
    this.#channel?.sendControl(encodeMessage('ClientJoin', body), this.#timeMs)
  }

  /** The ticket of the first player, who stays to the end. */
  get #victimTicket(): Uint8Array {
    return this.#oracle.clients[0]?.ticket ?? this.#ticket
  }

  /** A thief has the ticket and not the secret; it answers with its own, or with noise. */
  #answer({ nonce }: MessageBody<'RelayChallenge'>): void {
    this.#world.sometimes('a thief was asked for a proof', this.#isStealing)
    const ticket = this.#isStealing ? this.#victimTicket : this.#ticket
    const isNoise = this.#isStealing && this.#random.chance(0.2)
    const proof = isNoise
      ? noiseOf(this.#random, proofBytes)
      : makeReturnProof(this.#secret, nonce, ticket)
    this.#channel?.sendControl(encodeMessage('ClientProof', { proof }), this.#timeMs)
  }

  /** Says that it is there, and orders something before there is a match. */
  #idle(channel: Channel): void {
    channel.sendControl(encodeMessage('ClientHere', { activity: 'active' }), this.#timeMs)
    if (this.#kind === 'flooder' || this.#config.lobby.start === 'when-full') return
    channel.sendTick(this.#turn(0, 0, [noiseOf(this.#random, 20)]), this.#timeMs)
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
          const orders = Array.from({ length: 1 + this.#random.below(3) }, () =>
            noiseOf(this.#random, 300),
          )
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
      case 'hash-liar':
        channel.sendTick(this.#lie(), this.#timeMs)
        return
      case 'ticket-thief':
        // Its own link is given up for one over which it asks for the session of its victim.
        this.#isStealing = true
        if (this.#end !== undefined) this.#world.closeLink(this.#end)
        this.#end = undefined
        this.#channel = undefined
        this.#seated = undefined
        this.#retryAtMs = this.#timeMs + 500
        return
      case 'input-forger':
        channel.sendTick(this.#forgedTurn(), this.#timeMs)
        return
      case 'stranger':
        channel.sendControl(noiseMessage(this.#random), this.#timeMs)
    }
  }

  /** Notes which ticks are here: a hash is believed only of those. */
  #confirm(bytes: Uint8Array): void {
    const { firstTick, bundles, part } = readRelayBundles(bytes, this.#received + 1, this.#received)
    const isNext = part === undefined && firstTick <= this.#received + 1
    if (isNext) this.#received = Math.max(this.#received, firstTick + bundles.length - 1)
  }

  /** A hash that is made up, mostly of the newest tick; now and then of one that it lied about before. */
  #lie(): Uint8Array {
    const executedTick = this.#received - (this.#random.chance(0.1) ? this.#random.below(4) : 0)
    const tick = Math.max(executedTick, 0)
    const hash = { executedTick: tick, tick, lo: this.#random.below(2), hi: this.#random.below(2) }
    return this.#turn(0, 0, [], this.#received, hash)
  }

  /** Inputs for the next ticks that fit their bits, and that the game's fields cannot hold (T-40). */
  #forgedTurn(): Uint8Array {
    const lastTick = this.#oracle.sealedTick + 1 + this.#random.below(20)
    return this.#turn(lastTick, 1 + this.#random.below(2), [], 0, undefined, (slot) => {
      const most = 2 ** slotBits(slot) - 1
      return most === slot.max ? slot.initial : slot.max + 1 + this.#random.below(most - slot.max)
    })
  }

  /** A turn with inputs stamped for `lastTick`, or none. */
  #turn(
    lastTick: number,
    inputCount: number,
    orders: Uint8Array[],
    received = 0,
    hash?: TurnHash,
    valueFor: (slot: InputSlot) => number = ({ initial }) => initial,
  ): Uint8Array {
    const delta = new SlotDelta(this.#config.inputSlots)
    const { layout } = delta
    const inputs = Uint32Array.from({ length: Math.max(inputCount, 1) * layout.length }, (_, at) =>
      valueFor(layout[at % layout.length] as InputSlot),
    )
    this.#writer.reset()
    writeClientTurn(this.#writer, delta, {
      received,
      controlSeen: 0,
      report: undefined,
      heldMs: 0,
      hash,
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
    if (this.#random.chance(0.2)) return noiseOf(this.#random, 200)
    const bytes = this.#turn(this.#oracle.sealedTick + 3, 2, [noiseOf(this.#random, 20)])
    const mutated = this.#random.chance(0.3)
      ? bytes.slice(0, this.#random.below(bytes.length))
      : bytes
    for (let flips = this.#random.below(4); flips > 0 && mutated.length > 0; flips--) {
      const at = this.#random.below(mutated.length)
      mutated[at] = mutated[at]! ^ (1 << this.#random.below(8))
    }
    return mutated.length === 0 ? noiseOf(this.#random, 4) : mutated
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
