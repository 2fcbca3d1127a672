import type { Channel } from '../../link/channel.ts'
import { DatagramChannel } from '../../link/datagram/datagram-channel.ts'
import { StreamChannel } from '../../link/stream/stream-channel.ts'
import { MatchHistories, type MatchHistory, scanRecord } from '../../record/index.ts'
import type { SystemEvent } from '../../sim/game/run/bundle.ts'
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
import type { AuthorizationAnswer, AuthorizationRequest } from '../links/authorization.ts'
import type { MatchEvent } from '../match/match-types.ts'
import { Relay } from '../relay.ts'
import type { RelayOptions } from '../relay-options.ts'
import { RelayPump } from '../relay-pump.ts'
import type { PlainBundle, PlainTurn } from './match-kit.ts'
import { BundleReader, testConfig, testIdentity, turnBytes } from './match-kit.ts'

/** A relay, virtual time, and clients that say what they are told to say, at once and without loss. */
export class RelayWorld {
  relay: Relay
  #pump: RelayPump
  /** What a relay that is recorded wrote, by file. */
  readonly files: Uint8Array[] = []
  readonly #options: Partial<RelayOptions>
  readonly #onRecord: ((bytes: Uint8Array) => void) | undefined
  readonly events: MatchEvent[] = []
  /** Who wants in, where somebody else decides; {@link answer} does. */
  readonly asked: (AuthorizationRequest & { readonly link: number })[] = []
  readonly #clients = new Map<number, ScriptedClient>()
  #nowMs = 1_000_000
  #links = 0
  #random = 0

  /** `onRecord` takes what is written; without it, {@link files} has it. */
  constructor(
    options: Partial<RelayOptions> = {},
    onRecord: ((bytes: Uint8Array) => void) | undefined = undefined,
  ) {
    this.#onRecord = onRecord
    this.#options = options
    this.relay = this.#makeRelay()
    this.#pump = this.#makePump()
    if (options.isRecorded) this.turnFile()
  }

  #makeRelay(): Relay {
    return new Relay({
      randomBytes: (count) => Uint8Array.from({ length: count }, () => this.#random++),
      ...this.#options,
    })
  }

  #makePump(): RelayPump {
    return new RelayPump(this.relay, {
      record: (bytes) => {
        if (this.#onRecord !== undefined) {
          this.#onRecord(bytes)
          return
        }
        const before = this.files.at(-1) as Uint8Array
        this.files[this.files.length - 1] = Uint8Array.from([...before, ...bytes])
      },
      send: (link, bytes) => this.#clients.get(link)?.receive(bytes),
      close: (link, code) => {
        const client = this.#clients.get(link)
        if (client !== undefined) client.closedWith = code
      },
      handleAuthorize: (link, request) => this.asked.push({ link, ...request }),
      handleMatch: (_match, event) => {
        this.events.push(event)
        if (event.type === 'bug') throw event.error
      },
    })
  }

  get nowMs(): number {
    return this.#nowMs
  }

  /** The relay writes into another file from now on. */
  turnFile(): void {
    this.files.push(new Uint8Array(0))
    this.relay.startRecord(new Uint8Array(8).fill(this.files.length))
    this.#pump.drain()
  }

  /** What its files say. */
  histories(files: readonly Uint8Array[] = this.files): readonly MatchHistory[] {
    const histories = new MatchHistories()
    for (const file of files) {
      histories.startFile()
      scanRecord([file], (item) => histories.add(item))
    }
    return [...histories.byId.values()]
  }

  /** The relay dies, with every link, and another one goes on from its files. */
  crash(files: readonly Uint8Array[] = this.files): void {
    for (const client of this.#clients.values()) client.vanish()
    this.#clients.clear()
    const histories = this.histories(files)
    this.files.length = 0
    this.relay = this.#makeRelay()
    this.#pump = this.#makePump()
    for (const history of histories) this.relay.restoreMatch(history, this.#nowMs)
    this.turnFile()
    this.settle()
  }

  /** Opens a link. */
  connect(kind: 'stream' | 'datagram' = 'stream', address?: string): ScriptedClient {
    const link = ++this.#links
    const make = (side: 'initiator' | 'acceptor', nowMs: number): Channel =>
      kind === 'stream'
        ? new StreamChannel(nowMs)
        : new DatagramChannel({ epoch: link, side }, nowMs)
    const client = new ScriptedClient(this, link, make('initiator', this.#nowMs))
    this.#clients.set(link, client)
    const makeChannel = (nowMs: number) => make('acceptor', nowMs)
    this.#pump.handleLinkOpened(link, makeChannel, this.#nowMs, address)
    this.settle()
    return client
  }

  /** A client that has joined. */
  join(options: JoinOptions = {}): ScriptedClient {
    const client = this.connect(options.kind, options.address)
    client.hello()
    client.join(options)
    return client
  }

  /** Says whether somebody may come in. */
  answer({ link }: { readonly link: number }, answer: AuthorizationAnswer): void {
    this.#pump.handleAuthorized(link, answer, this.#nowMs)
    this.settle()
  }

  /** Does something with the relay, and passes on what comes of it. */
  act<T>(what: (relay: Relay, nowMs: number) => T): T {
    const result = what(this.relay, this.#nowMs)
    this.settle()
    return result
  }

  /** Passes packets on until nobody has any. */
  settle(): void {
    this.#pump.drain()
    for (let isBusy = true; isBusy; ) {
      isBusy = false
      for (const client of this.#clients.values()) if (client.flush()) isBusy = true
    }
  }

  /** A packet of a client comes in. */
  handlePacket(link: number, bytes: Uint8Array): void {
    this.#pump.handlePacket(link, bytes, this.#nowMs)
  }

  /** Everything that was sealed in a match of that config, in plain values; one match per world. */
  sealed(config: MatchConfig = testConfig): (PlainBundle & { readonly tick: number })[] {
    const reader = new BundleReader(config)
    return this.events.flatMap((event) =>
      event.type === 'sealed' ? [{ ...reader.read(event.bundle), tick: event.tick }] : [],
    )
  }

  /** System events with their ticks. */
  sealedEvents(config: MatchConfig = testConfig): (SystemEvent & { readonly tick: number })[] {
    return this.sealed(config).flatMap(({ events, tick }) =>
      events.map((event) => ({ ...event, tick })),
    )
  }

  /** Lets time pass. */
  run(ms: number): void {
    const untilMs = this.#nowMs + ms
    for (;;) {
      let wake = this.relay.wakeAtMs()
      for (const client of this.#clients.values()) wake = Math.min(wake, client.wakeAtMs())
      if (wake > untilMs) break
      this.#nowMs = Math.max(this.#nowMs, wake)
      for (const client of this.#clients.values()) client.handleTime()
      this.#pump.handleTime(this.#nowMs)
      this.settle()
    }
    this.#nowMs = untilMs
  }

  /** Forgets a client that is done, so that thousands of them cost nothing. */
  forget(client: ScriptedClient): void {
    this.#clients.delete(client.link)
  }

  /** The transport reports that a link is gone. */
  breakLink(client: ScriptedClient): void {
    client.vanish()
    this.#pump.handleLinkClosed(client.link, this.#nowMs)
    this.settle()
  }
}

/** How {@link RelayWorld.join} joins. */
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
  readonly #world: RelayWorld
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

  constructor(world: RelayWorld, link: number, channel: Channel) {
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
