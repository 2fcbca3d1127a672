import type { Channel } from '../../link/channel.ts'
import { DatagramChannel } from '../../link/datagram-channel.ts'
import { StreamChannel } from '../../link/stream-channel.ts'
import type { SystemEvent } from '../../sim/game/bundle.ts'
import type { MatchConfig, Message, MessageBody, MessageName } from '../../wire/messages.ts'
import { decodeMessage, encodeMessage, helloMagic, protocols } from '../../wire/messages.ts'
import type { ReceivedBundles } from '../../wire/relay-bundles.ts'
import { isRelayBundles, readRelayBundles } from '../../wire/relay-bundles.ts'
import type { RoomAction } from '../../wire/room-actions.ts'
import { writeAction } from '../../wire/room-actions.ts'
import type { MatchEvent } from '../match-types.ts'
import { Relay } from '../relay.ts'
import type { RelayOptions } from '../relay-output.ts'
import type { PlainBundle, PlainTurn } from './match-kit.ts'
import { BundleReader, testConfig, testIdentity, turnBytes } from './match-kit.ts'

/** A relay, virtual time, and clients that say what they are told to say, at once and without loss. */
export class RelayWorld {
  readonly relay: Relay
  readonly events: MatchEvent[] = []
  readonly #clients = new Map<number, ScriptedClient>()
  #nowMs = 1_000_000
  #links = 0
  #random = 0

  constructor(options: Partial<RelayOptions> = {}) {
    this.relay = new Relay({
      randomBytes: (count) => Uint8Array.from({ length: count }, () => this.#random++),
      ...options,
    })
  }

  get nowMs(): number {
    return this.#nowMs
  }

  /** Opens a link. */
  connect(kind: 'stream' | 'datagram' = 'stream'): ScriptedClient {
    const link = ++this.#links
    const make = (side: 'initiator' | 'acceptor', nowMs: number): Channel =>
      kind === 'stream'
        ? new StreamChannel(nowMs)
        : new DatagramChannel({ epoch: link, side }, nowMs)
    const client = new ScriptedClient(this, link, make('initiator', this.#nowMs))
    this.#clients.set(link, client)
    this.relay.handleLinkOpened(link, (nowMs) => make('acceptor', nowMs), this.#nowMs)
    this.settle()
    return client
  }

  /** A client that has joined. */
  join(options: JoinOptions = {}): ScriptedClient {
    const client = this.connect(options.kind)
    client.hello()
    client.join(options)
    return client
  }

  /** Passes packets on until nobody has any. */
  settle(): void {
    for (let isBusy = true; isBusy; ) {
      isBusy = false
      for (let output = this.relay.pollOutput(); output; output = this.relay.pollOutput()) {
        isBusy = true
        if (output.type === 'match') this.events.push(output.event)
        if (output.type === 'match' && output.event.type === 'bug') throw output.event.error
        if (output.type === 'send') this.#clients.get(output.link)?.receive(output.bytes)
        if (output.type === 'close') {
          const client = this.#clients.get(output.link)
          if (client !== undefined) client.closedWith = output.code
        }
      }
      for (const client of this.#clients.values()) if (client.flush()) isBusy = true
    }
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
      this.relay.handleTime(this.#nowMs)
      this.settle()
    }
    this.#nowMs = untilMs
  }

  /** The transport reports that a link is gone. */
  breakLink(client: ScriptedClient): void {
    client.vanish()
    this.relay.handleLinkClosed(client.link, this.#nowMs)
    this.settle()
  }
}

/** How {@link RelayWorld.join} joins. */
export interface JoinOptions extends Partial<MessageBody<'ClientJoin'>> {
  readonly kind?: 'stream' | 'datagram'
}

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
  /** Whether ticks are confirmed and executed as they come, and signs of life are given. */
  isConfirming = false
  /** What is sent back as proof of life, unless somebody lies. */
  token: number | undefined
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
    const { kind: _, ...rest } = changes
    this.config = rest.config ?? testConfig
    this.say('ClientJoin', {
      match: 'friday',
      name: 'ada',
      role: 'player',
      config: testConfig,
      ticket: undefined,
      nextTick: 1,
      ...rest,
    })
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
    for (const bytes of packets) this.#world.relay.handlePacket(this.link, bytes, this.#world.nowMs)
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
        this.messages.push(decodeMessage(next.bytes))
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
      this.#world.relay.handlePacket(this.link, bytes, this.#world.nowMs)
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
