import type { Channel } from '../../link/channel.ts'
import type {
  MatchConfig,
  Message,
  MessageBody,
  MessageName,
} from '../../wire/messages/messages.ts'
import {
  decodeMessage,
  encodeMessage,
  helloMagic,
  protocols,
} from '../../wire/messages/messages.ts'
import { makeReturnProof, secretBytes } from '../../wire/messages/return-proof.ts'
import type { RoomAction } from '../../wire/messages/room-actions.ts'
import { writeAction } from '../../wire/messages/room-actions.ts'
import type { ReceivedBundles } from '../../wire/ticks/relay-bundles.ts'
import { isRelayBundles, readRelayBundles } from '../../wire/ticks/relay-bundles.ts'
import type { PlainTurn } from './match-kit.ts'
import { testConfig, testIdentity, turnBytes } from './match-kit.ts'

/** Where a client lives: who has its time, and takes its packets. */
export interface ClientWorld {
  readonly nowMs: number
  handlePacket(link: number, bytes: Uint8Array): void
  /** Passes packets on until nobody has any. */
  settle(): void
}

/** How a client joins. */
export interface JoinOptions extends Partial<MessageBody<'ClientJoin'>> {
  readonly kind?: 'stream' | 'datagram'
  /** Where it comes from; nowhere that counts when left out. */
  readonly address?: string
}

/** With which all of them prove who they are. */
export const testSecret = new Uint8Array(secretBytes).fill(5)

/** How often a client that lives says so. */
const hereEveryMs = 1_000

/** The other end of a link, which does nothing of its own accord but live as honest ones do, if told to. */
export class ScriptedClient {
  readonly link: number
  readonly messages: Message[] = []
  readonly bundles: ReceivedBundles[] = []
  readonly #world: ClientWorld
  readonly #channel: Channel
  /** The newest tick that came. */
  receivedTick = 0
  /** What it proves with that a session is its own; nothing is answered without. */
  secret: Uint8Array | undefined = testSecret
  /** Whether it says that it only moves. */
  isMoving = false
  /** Whether ticks are confirmed and executed as they come, and signs of life are given. */
  isConfirming = false
  /** What is sent back as proof of life, unless somebody lies. */
  token: number | undefined
  #ticket: Uint8Array = new Uint8Array(0)
  #controlSeen = 255
  #nextOrder = 0
  #hereAtMs = 0
  config: MatchConfig = testConfig
  closedWith: number | undefined
  /** Whether nothing is heard any more, also no goodbye; what is said still arrives. */
  isDeaf = false
  #isVanished = false

  constructor(world: ClientWorld, link: number, channel: Channel) {
    this.#world = world
    this.link = link
    this.#channel = channel
  }

  /** What the relay said in control messages. */
  body<N extends MessageName>(name: N): MessageBody<N> | undefined {
    const found = this.messages.find((message) => message.name === name)
    return found?.body as MessageBody<N> | undefined
  }

  /** The newest message of a kind. */
  last<N extends MessageName>(name: N): MessageBody<N> | undefined {
    return this.all(name).at(-1)
  }

  /** All messages of a kind. */
  all<N extends MessageName>(name: N): MessageBody<N>[] {
    return this.messages.flatMap((message) =>
      message.name === name ? [message.body as MessageBody<N>] : [],
    )
  }

  /** Who this is among the members of its match. */
  get member(): number {
    return this.last('RelaySeated')?.member ?? -1
  }

  /** Everything is said to nobody from here on, and nothing is heard. */
  vanish(): void {
    this.#isVanished = true
  }

  hello(changes: Partial<MessageBody<'ClientHello'>> = {}): void {
    this.say('ClientHello', {
      magic: helloMagic,
      protocols: [...protocols],
      ...testIdentity,
      ...changes,
    })
  }

  join(changes: JoinOptions = {}): void {
    const { kind: _kind, address: _address, ...rest } = changes
    this.config = rest.config ?? testConfig
    this.#ticket = rest.ticket ?? this.#ticket
    this.say('ClientJoin', {
      match: 'friday',
      name: 'ada',
      role: 'player',
      config: testConfig,
      ticket: undefined,
      secret: testSecret,
      nextTick: 1,
      token: undefined,
      software: undefined,
      ...rest,
    })
  }

  #take(message: Message): void {
    this.messages.push(message)
    const { secret } = this
    if (message.name !== 'RelayChallenge' || secret === undefined) return
    const proof = makeReturnProof(secret, message.body.nonce, this.#ticket)
    this.#channel.sendControl(
      encodeMessage('ClientProof', { proof, isMove: this.isMoving }),
      this.#world.nowMs,
    )
  }

  say<N extends MessageName>(name: N, body: MessageBody<N>): void {
    this.#channel.sendControl(encodeMessage(name, body), this.#world.nowMs)
    this.#world.settle()
  }

  /** Asks for something about the match. */
  act(action: RoomAction): void {
    this.say('ClientAct', writeAction(action))
  }

  /** Issues orders, numbered as they should be. */
  issue(...orders: Uint8Array[]): void {
    const firstOrder = this.#nextOrder
    this.#nextOrder += orders.length
    this.turn({ received: this.receivedTick, firstOrder, orders })
  }

  turn(turn: PlainTurn): void {
    this.#channel.sendTick(turnBytes(this.config, turn), this.#world.nowMs)
    this.#world.settle()
  }

  /** Sends turns of which each overtakes the one before it. */
  turnsBackwards(...turns: readonly PlainTurn[]): void {
    const packets: Uint8Array[] = []
    for (const turn of turns) {
      this.#channel.sendTick(turnBytes(this.config, turn), this.#world.nowMs)
      for (let bytes = this.#channel.pollPacket(); bytes; bytes = this.#channel.pollPacket()) {
        packets.unshift(bytes)
      }
    }
    for (const bytes of packets) this.#world.handlePacket(this.link, bytes)
    this.#world.settle()
  }

  /** Sends bytes as a message of whichever lane their first byte says. */
  sayBytes(bytes: Uint8Array): void {
    if ((bytes[0] as number) < 0x40) this.#channel.sendControl(bytes, this.#world.nowMs)
    else this.#channel.sendTick(bytes, this.#world.nowMs)
    this.#world.settle()
  }

  close(): void {
    this.#channel.close(4_016, this.#world.nowMs)
    this.#world.settle()
  }

  receive(bytes: Uint8Array): void {
    if (this.#isVanished || this.isDeaf) return
    const channel = this.#channel
    const before = this.receivedTick
    channel.handlePacket(bytes, this.#world.nowMs)
    for (let next = channel.pollMessage(); next; next = channel.pollMessage()) {
      if (!isRelayBundles(next.bytes)) {
        this.#take(decodeMessage(next.bytes))
        continue
      }
      const message = readRelayBundles(next.bytes, this.receivedTick + 1)
      this.bundles.push(message)
      if (message.control !== undefined) {
        this.#controlSeen = message.control.version
        this.token = message.control.token === 0 ? undefined : message.control.token
      }
      if (message.firstTick > this.receivedTick + 1 || message.part !== undefined) continue
      this.receivedTick = Math.max(
        this.receivedTick,
        message.firstTick + message.bundles.length - 1,
      )
    }
    if (this.isConfirming && this.receivedTick > before) this.#confirm()
  }

  #confirm(): void {
    const tick = this.receivedTick
    const { token } = this
    this.#channel.sendTick(
      turnBytes(this.config, {
        received: tick,
        controlSeen: this.#controlSeen,
        report: { stamp: tick % 65_536, token },
        // All of them compute the same.
        hash: { tick, lo: tick, hi: 0 },
      }),
      this.#world.nowMs,
    )
  }

  flush(): boolean {
    if (this.#isVanished) return false
    let isBusy = false
    for (let bytes = this.#channel.pollPacket(); bytes; bytes = this.#channel.pollPacket()) {
      isBusy = true
      this.#world.handlePacket(this.link, bytes)
    }
    return isBusy
  }

  handleTime(): void {
    const { nowMs } = this.#world
    if (this.#isVanished) return
    if (this.#channel.wakeAtMs() <= nowMs) this.#channel.handleTime(nowMs)
    if (this.#hereWakeAtMs > nowMs) return
    this.#hereAtMs = nowMs + hereEveryMs
    this.#channel.sendControl(encodeMessage('ClientHere', { activity: 'active' }), nowMs)
  }

  wakeAtMs(): number {
    if (this.#isVanished) return Number.POSITIVE_INFINITY
    return Math.min(this.#channel.wakeAtMs(), this.#hereWakeAtMs)
  }

  get #hereWakeAtMs(): number {
    const isIn = this.body('RelaySeated') !== undefined && this.closedWith === undefined
    return this.isConfirming && isIn ? this.#hereAtMs : Number.POSITIVE_INFINITY
  }
}
