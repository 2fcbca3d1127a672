import { WireError } from '../../base/errors.ts'
import type { Prng } from '../../base/prng.ts'
import type { Channel } from '../../link/channel.ts'
import type { Game } from '../../sim/game/definition/define-game.ts'
import { fromHex } from '../../sim/hash/hex.ts'
import type { MatchConfig, MessageBody } from '../../wire/messages/messages.ts'
import {
  decodeMessage,
  encodeMessage,
  helloMagic,
  protocols,
} from '../../wire/messages/messages.ts'
import { makeReturnProof } from '../../wire/messages/return-proof.ts'
import type { RoomAction } from '../../wire/messages/room-actions.ts'
import { writeAction } from '../../wire/messages/room-actions.ts'
import { isRelayBundles } from '../../wire/ticks/relay-bundles.ts'
import { channelFor } from '../actors/relay-actor.ts'
import { randomSecret, randomTicket } from '../actors/session-keys.ts'
import type { Oracle } from '../checks/oracle.ts'
import type { Actor } from '../engine/actor.ts'
import type { Conditions } from '../engine/network/conditions.ts'
import type { LinkEnd } from '../engine/network/link.ts'
import type { NodeId } from '../engine/node-id.ts'
import type { World } from '../engine/world.ts'
import type { RoughKind } from '../plan/attack-kinds.ts'
import type { Attack, AttackEnd, Attacker } from './attack.ts'
import { attacks } from './attacks.ts'
import { noiseOf } from './noise.ts'
import { TurnForge } from './turn-forge.ts'

/** What an attacker is made of. */
export interface AttackerSpec {
  readonly kind: RoughKind
  readonly match: string
  readonly config: MatchConfig
  readonly firstNumber: number
  /** What lets it in, where somebody decides about that. */
  readonly token: string | undefined
}

/**
 * Somebody who joins like everybody else, waits for the match, and then carries out one {@link Attack},
 * again and again. Whatever the relay does about it, the others must not notice.
 */
export class AttackerActor implements Actor, Attacker {
  readonly world: World
  readonly oracle: Oracle
  readonly config: MatchConfig
  readonly random: Prng
  readonly turns: TurnForge
  readonly #game: Game
  readonly #spec: AttackerSpec
  readonly #relayNode: NodeId
  readonly #conditions: () => Conditions
  #end: LinkEnd | undefined
  #channel: Channel | undefined
  #seated: MessageBody<'RelaySeated'> | undefined
  #actAtMs = 0
  #timeMs = 0
  #isStopped = false
  #isStopping = false
  readonly #ticket: Uint8Array
  readonly #secret: Uint8Array
  #self: NodeId = -1
  /** When to try again to get in; `Infinity` for never. */
  #retryAtMs = Number.POSITIVE_INFINITY
  /** When something last came over the link that it has. */
  #heardAtMs = 0
  readonly #sent: Uint8Array[] = []
  readonly #attack: Attack
  /** How often it attacked, and when it first did, in the world's time. */
  misdeeds = 0
  firstMisdeedMs = Number.POSITIVE_INFINITY
  /** What it was last closed or refused with. */
  closedReason: string | undefined

  constructor(
    world: World,
    oracle: Oracle,
    game: Game,
    spec: AttackerSpec,
    relayNode: NodeId,
    conditions: () => Conditions,
  ) {
    const { kind, config } = spec
    this.world = world
    this.oracle = oracle
    this.#game = game
    this.#spec = spec
    this.config = config
    this.#relayNode = relayNode
    this.#conditions = conditions
    this.random = world.random(`attack/${kind}`)
    this.turns = new TurnForge(config)
    this.#attack = new attacks[kind](this)
    this.#ticket = randomTicket(world.random(`ticket/${kind}`))
    this.#secret = randomSecret(world.random(`secret/${kind}`))
  }

  get timeMs(): number {
    return this.#timeMs
  }

  get sent(): readonly Uint8Array[] {
    return this.#sent
  }

  sendRaw(bytes: Uint8Array): void {
    if (this.#end !== undefined) this.world.send(this.#end, bytes)
  }

  reconnect(afterMs: number): void {
    if (this.#end !== undefined) this.world.closeLink(this.#end)
    this.#end = undefined
    this.#channel = undefined
    this.#seated = undefined
    this.#retryAtMs = this.#timeMs + afterMs
  }

  stopReading(): void {
    if (this.#end?.isOpen === true) this.world.trouble.holdReading(this.#end, true)
  }

  /** How it has to end. */
  get expectedEnd(): AttackEnd | undefined {
    return this.#attack.end
  }

  get kind(): RoughKind {
    return this.#spec.kind
  }

  /** Whether the relay is rid of it. */
  get isOut(): boolean {
    return this.#end === undefined && this.#retryAtMs === Number.POSITIVE_INFINITY
  }

  start(self: NodeId, nowMs: number): void {
    this.#self = self
    this.#actAtMs = nowMs
    this.#connect()
  }

  #connect(): void {
    this.#retryAtMs = Number.POSITIVE_INFINITY
    this.#heardAtMs = this.#timeMs
    this.#end = this.world.connect(this.#self, this.#relayNode, this.#conditions())
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
    if (end !== this.#end || this.#isStopped) return
    this.#timeMs = Math.max(nowMs, this.#timeMs)
    this.#channel = channelFor(end, this.#spec.firstNumber)(this.#timeMs)
    const { id, version, fingerprint } = this.#game
    const hello: MessageBody<'ClientHello'> = {
      magic: helloMagic,
      protocols: [...protocols],
      gameId: id,
      gameVersion: version,
      fingerprint: fromHex(fingerprint),
    }
    this.#channel.sendControl(encodeMessage('ClientHello', hello), this.#timeMs)
    this.flush()
  }

  handlePacket(end: LinkEnd, bytes: Uint8Array, nowMs: number): void {
    const channel = this.#channel
    if (end !== this.#end || channel === undefined) return
    this.#timeMs = Math.max(nowMs, this.#timeMs)
    this.#heardAtMs = this.#timeMs
    channel.handlePacket(bytes, this.#timeMs)
    for (let next = channel.pollMessage(); next; next = channel.pollMessage()) {
      if (!isRelayBundles(next.bytes)) this.#handleMessage(next.bytes)
      else this.#attack.handleTicks?.(next.bytes)
    }
    this.flush()
    // Nobody wakes a channel that is closed.
    if (this.#seated === undefined) this.#noteClosed(channel)
  }

  /** Whether the other side has said goodbye; then the link goes, too. */
  #noteClosed(channel: Channel): boolean {
    if (channel.state.name !== 'closed' || this.#end === undefined) return false
    this.world.closeLink(this.#end)
    this.handleLinkClosed(this.#end)
    return true
  }

  handleLinkClosed(end: LinkEnd): void {
    if (end !== this.#end) return
    this.world.sometimes(`attacker ${this.kind} was closed`)
    this.#end = undefined
    this.#channel = undefined
    // Until the match has begun it plays honest, and an honest client comes back.
    const isTrying = this.oracle.sealedTick === 0 || this.#attack.comesBack === true
    if (isTrying) this.#retryAtMs = this.#timeMs + 500
  }

  handleTime(nowMs: number): void {
    if (this.#isStopping) this.stop()
    this.#timeMs = Math.max(nowMs, this.#timeMs)
    if (this.#timeMs >= this.#retryAtMs && !this.#isStopped) this.#connect()
    const channel = this.#channel
    if (channel === undefined) return
    if (channel.wakeAtMs() <= this.#timeMs) channel.handleTime(this.#timeMs)
    if (this.#noteClosed(channel)) return
    // Others wait for it, and its link may be dead without a word.
    if (this.oracle.sealedTick === 0 && this.#timeMs >= this.#heardAtMs + silenceMsMax) {
      this.reconnect(1)
      return
    }
    // A match that never begins because of one empty seat would show nothing.
    const isRunning = this.#seated !== undefined && this.oracle.sealedTick > 0
    if (this.#seated !== undefined && this.#timeMs >= this.#actAtMs) {
      this.#actAtMs = this.#timeMs + this.random.exponential() * 80
      if (isRunning) this.#misbehave(channel)
      else if (this.random.chance(0.1)) this.#idle(channel)
    }
    this.flush()
  }

  #misbehave(channel: Channel): void {
    this.misdeeds += 1
    if (this.misdeeds === 1) this.firstMisdeedMs = this.world.nowMs
    this.#attack.act(channel)
  }

  wakeAtMs(): number {
    if (this.#isStopped) return Number.POSITIVE_INFINITY
    if (this.#channel === undefined) return this.#retryAtMs
    const act = this.#seated === undefined ? Number.POSITIVE_INFINITY : this.#actAtMs + 1
    const isWaiting = this.oracle.sealedTick === 0
    const silentAtMs = isWaiting ? this.#heardAtMs + silenceMsMax : Number.POSITIVE_INFINITY
    return Math.min(this.#channel.wakeAtMs(), act, silentAtMs)
  }

  #handleMessage(bytes: Uint8Array): void {
    try {
      const message = decodeMessage(bytes)
      if (message.name === 'RelayWelcome') this.#join()
      if (message.name === 'RelayChallenge') this.#answer(message.body)
      if (message.name === 'RelaySeated') {
        this.#attack.handleSeated?.()
        this.#seated = message.body
        const { seat, isLaunched } = message.body
        if (seat !== undefined && isLaunched) this.oracle.noteStranger(seat)
      }
      if (message.name === 'RelayClose' || message.name === 'RelayRefuse') {
        this.closedReason = message.body.reason
      }
      if (message.name === 'RelayRoom') this.#takePart(message.body)
      if (message.name === 'RelayLaunch') {
        if (message.body.seat !== undefined) this.oracle.noteStranger(message.body.seat)
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
    if (own.isReady || isFirst || this.config.lobby.start === 'when-full') return
    this.#ask({ type: 'set-ready', isReady: true, optionsRevision: room.optionsRevision })
  }

  #ask(action: RoomAction): void {
    this.#channel?.sendControl(encodeMessage('ClientAct', writeAction(action)), this.#timeMs)
  }

  #join(): void {
    const body: MessageBody<'ClientJoin'> = {
      match: this.#spec.match,
      name: alias,
      role: 'player',
      config: this.config,
      ticket: this.#ticket,
      secret: this.#secret,
      nextTick: 1,
      token: this.#spec.token,
      software: undefined,
      ...this.#attack.claim?.(),
    }
    this.#channel?.sendControl(encodeMessage('ClientJoin', body), this.#timeMs)
  }

  #answer({ nonce }: MessageBody<'RelayChallenge'>): void {
    const ticket = this.#attack.claim?.()?.ticket ?? this.#ticket
    const proof = this.#attack.prove?.() ?? makeReturnProof(this.#secret, nonce, ticket)
    this.#channel?.sendControl(encodeMessage('ClientProof', { proof, isMove: false }), this.#timeMs)
  }

  /** Says that it is there, and orders something before there is a match. */
  #idle(channel: Channel): void {
    channel.sendControl(encodeMessage('ClientHere', { activity: 'active' }), this.#timeMs)
    if (this.#attack.isSilentBefore === true || this.config.lobby.start === 'when-full') return
    channel.sendTick(this.turns.makeWithOrders([noiseOf(this.random, 20)]), this.#timeMs)
  }

  flush(): void {
    for (let bytes = this.#channel?.pollPacket(); bytes; bytes = this.#channel?.pollPacket()) {
      if (this.#sent.length < 64) this.#sent.push(bytes.slice())
      if (this.#end !== undefined) this.world.send(this.#end, bytes)
    }
  }
}

/** Silence after which an honest client takes its link for lost, too. */
const silenceMsMax = 5_000

/** What they call themselves. */
const alias = 'mallory'
