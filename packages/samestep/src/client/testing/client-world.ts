import { BitWriter } from '../../base/bit-writer.ts'
import type { Channel } from '../../link/channel.ts'
import { DatagramChannel } from '../../link/datagram/datagram-channel.ts'
import { StreamChannel } from '../../link/stream/stream-channel.ts'
import type { Game } from '../../sim/game/definition/define-game.ts'
import type { SystemEvent } from '../../sim/game/run/bundle.ts'
import type { MatchConfig } from '../../wire/messages/match-config.ts'
import { lobbyDefaults, makeMatchConfig } from '../../wire/messages/match-config.ts'
import type { Message, MessageBody, MessageName } from '../../wire/messages/messages.ts'
import { decodeMessage, encodeMessage } from '../../wire/messages/messages.ts'
import type { BundleOrder } from '../../wire/ticks/bundle-codec.ts'
import { BundleCodec } from '../../wire/ticks/bundle-codec.ts'
import type { ClientTurn } from '../../wire/ticks/client-turn.ts'
import { isClientTurn, readClientTurn, turnSlotsMax } from '../../wire/ticks/client-turn.ts'
import { InputMapping } from '../../wire/ticks/input-layout.ts'
import type { RelayControl } from '../../wire/ticks/relay-bundles.ts'
import {
  marginUnknown,
  writeBundlePart,
  writeRelayBundles,
} from '../../wire/ticks/relay-bundles.ts'
import { Client } from '../client.ts'
import type { ClientEvent } from '../events.ts'
import type { ClientOptions } from '../membership/client-options.ts'
import { makeRunning } from '../run/make-running.ts'
import { digestNow } from '../state/digests.ts'
import { counter, optionBytes } from './counter.ts'
import type { RoomMember } from './rooms.ts'
import { ownMember, roomOf } from './rooms.ts'

type ClientOf<T> = T extends Game<infer G, infer R> ? Client<G, R> : never
type OptionsOf<T> = T extends Game<infer G, infer _> ? ClientOptions<G> : never

/** A client of {@link counter}. */
export type CounterClient = ClientOf<typeof counter>

/** What a relay seals, as far as a test says it. */
export interface PlainContent {
  readonly orders?: readonly BundleOrder[]
  readonly events?: readonly SystemEvent[]
  /** Slots by seat: dx from 0 for -2 to 4 for 2, and fire. */
  readonly inputs?: { readonly [seat: number]: readonly [number, number] }
  readonly missing?: readonly number[]
}

/** The slots of somebody who holds nothing: dx 0, no fire. */
const idle: readonly [number, number] = [2, 0]

/**
 * A client, virtual time, and the other end of its link: a relay that says what it is told to say, at
 * once and without loss.
 */
export class ClientWorld {
  readonly client: CounterClient
  readonly events: ClientEvent[] = []
  readonly messages: Message[] = []
  readonly turns: ClientTurn[] = []
  nowMs = 500
  /** The bundles sealed so far, by tick less one. */
  readonly sealed: Uint8Array[] = []
  readonly seated: MessageBody<'RelaySeated'>
  channel: Channel | undefined
  #epoch = 0
  readonly #codec: BundleCodec
  #previous: Uint32Array
  readonly #writer = new BitWriter()
  readonly #slots: Uint32Array
  /** What a relay would know of the client, to read its turns. */
  #nextOrder = 0
  #received = 0

  constructor(options: Partial<OptionsOf<typeof counter>> = {}) {
    this.client = new Client(counter, { match: 'friday', name: 'ada', ...options }, makeRunning)
    const config = makeMatchConfig({
      seats: 2,
      tickRate: 20,
      inputDelay: 3,
      inputSlots: [...new InputMapping(counter.inputCodec.fields).layout],
      options: optionBytes(3),
    })
    this.seated = {
      matchId: 'm1',
      ticket: new Uint8Array(16).fill(9),
      member: ownMember,
      seat: 0,
      seatTick: 0,
      seed: 'abc',
      isLaunched: true,
      isStateComing: false,
      config,
      orderNumber: 0,
      sealedTick: 0,
      rebuiltTick: undefined,
    }
    this.#codec = new BundleCodec(config.seats, config.inputSlots)
    this.#previous = this.#slotsOf({})
    this.#slots = new Uint32Array(turnSlotsMax(this.#codec.delta))
  }

  /** Opens a link; the client says hello. */
  open(kind: 'stream' | 'datagram' = 'stream'): void {
    const epoch = ++this.#epoch
    const make = (side: 'initiator' | 'acceptor', nowMs: number): Channel =>
      kind === 'stream' ? new StreamChannel(nowMs) : new DatagramChannel({ epoch, side }, nowMs)
    this.channel = make('acceptor', this.nowMs)
    this.client.handleLinkOpened((nowMs) => make('initiator', nowMs), this.nowMs)
    this.settle()
  }

  /** Opens a link and gives the client its seat. */
  sit(
    kind: 'stream' | 'datagram' = 'stream',
    changes: Partial<MessageBody<'RelaySeated'>> = {},
  ): this {
    this.open(kind)
    this.say('RelayWelcome', { protocol: 'samestep/1' })
    this.say('RelaySeated', { ...this.seated, orderNumber: this.#nextOrder, ...changes })
    return this
  }

  /** Opens a link and lets the client into a match that people talk about before it begins. */
  enterLobby(
    kind: 'stream' | 'datagram' = 'stream',
    changes: Partial<MessageBody<'RelaySeated'>> = {},
  ): this {
    return this.sit(kind, { isLaunched: false, config: this.lobbyConfig, ...changes })
  }

  /** What such a match is made with. */
  get lobbyConfig(): MatchConfig {
    const lobby = { ...lobbyDefaults, start: 'by-owner' as const }
    return { ...this.seated.config, lobby }
  }

  /** Shows the match: the client and somebody else, with what is given of the client's own line. */
  show(
    phase: MessageBody<'RelayRoom'>['phase'],
    own: Partial<RoomMember> = {},
    other: Partial<RoomMember> = {},
  ): void {
    this.say('RelayRoom', roomOf(phase, own, other))
  }

  /** The match begins to load; `null` for who only watches. */
  launch(start = 3, seat: number | null = 0): void {
    this.say('RelayLaunch', { options: optionBytes(start), seat: seat ?? undefined })
  }

  say<N extends MessageName>(name: N, body: MessageBody<N>): void {
    this.sayBytes(encodeMessage(name, body))
  }

  sayBytes(bytes: Uint8Array): void {
    if ((bytes[0] as number) < 0x40) this.channel?.sendControl(bytes, this.nowMs)
    else this.channel?.sendTick(bytes, this.nowMs)
    this.settle()
  }

  /** Seals a tick, and gives its number; nothing is sent. */
  seal(content: PlainContent = {}): number {
    const current = this.#slotsOf(content.inputs ?? {})
    const missing = new Uint8Array(2)
    for (const seat of content.missing ?? []) missing[seat] = 1
    this.#writer.reset()
    const { orders = [], events = [] } = content
    this.#codec.encode(this.#writer, { orders, events }, this.#previous, current, missing)
    this.#previous = current
    return this.sealed.push(this.#writer.finish())
  }

  /** Sends ticks that are sealed, and lets the client run what it has. */
  send(first: number, last = first, control?: Partial<RelayControl>): void {
    this.#writer.reset()
    const bundleAt = (tick: number) => this.sealed[tick - 1] as Uint8Array
    const block = control === undefined ? undefined : { ...calm, ...control }
    writeRelayBundles(this.#writer, first, last - first + 1, bundleAt, block)
    this.sayBytes(this.#writer.finish())
    this.run()
  }

  /** Sends one part of a tick. */
  sendPart(tick: number, start: number, end: number): void {
    this.#writer.reset()
    writeBundlePart(this.#writer, tick, this.sealed[tick - 1] as Uint8Array, start, end, undefined)
    this.sayBytes(this.#writer.finish())
  }

  /** Seals a tick and sends it. */
  tick(content: PlainContent = {}, control?: Partial<RelayControl>): void {
    const tick = this.seal(content)
    this.send(tick, tick, control)
  }

  /** Lets the client run what it has, and say what it then has to say. */
  run(): void {
    this.client.runTicks(Number.POSITIVE_INFINITY)
    this.settle()
  }

  /** Lets time pass at both ends. */
  wait(ms: number): void {
    const untilMs = this.nowMs + ms
    for (;;) {
      const wake = Math.min(this.client.wakeAtMs(), this.channel?.wakeAtMs() ?? untilMs + 1)
      if (wake > untilMs) break
      this.nowMs = Math.max(wake, this.nowMs)
      if (this.channel !== undefined && this.channel.wakeAtMs() <= this.nowMs) {
        this.channel.handleTime(this.nowMs)
      }
      this.client.handleTime(this.nowMs)
      this.settle()
    }
    this.nowMs = untilMs
  }

  /** The link is gone: the transport says so, or nobody does. */
  breakLink(isTold = true): void {
    this.channel = undefined
    this.#received = this.client.cursors.sealedTick
    if (isTold) this.client.handleLinkClosed(this.nowMs)
    this.settle()
  }

  /** What the client asked for and said, in sequence, each as its name and the word for it. */
  get wishes(): string[] {
    return this.messages.flatMap(({ name, body }) =>
      name === 'ClientAct' ? [`${body.action} ${body.number ?? ''}`.trim()] : [],
    )
  }

  /** Events of one kind. */
  eventsOf<T extends ClientEvent['type']>(type: T): Extract<ClientEvent, { type: T }>[] {
    return this.events.filter((event) => event.type === type) as Extract<ClientEvent, { type: T }>[]
  }

  /** Passes packets on until nobody has any. */
  settle(): void {
    for (let isBusy = true; isBusy; ) {
      isBusy = false
      const { client, channel } = this
      for (let event = client.pollEvent(); event; event = client.pollEvent()) {
        this.events.push(event)
        if (event.type !== 'digest') continue
        client.handleDigest(event.job, digestNow(event.job), this.nowMs)
      }
      for (let bytes = client.pollPacket(); bytes; bytes = client.pollPacket()) {
        isBusy = true
        channel?.handlePacket(bytes, this.nowMs)
      }
      for (let next = channel?.pollMessage(); next; next = channel?.pollMessage()) {
        if (isClientTurn(next.bytes)) this.#takeTurn(next.bytes)
        else this.messages.push(decodeMessage(next.bytes))
      }
      for (let bytes = channel?.pollPacket(); bytes; bytes = channel?.pollPacket()) {
        isBusy = true
        client.handlePacket(bytes, this.nowMs)
      }
    }
  }

  #takeTurn(bytes: Uint8Array): void {
    const near = {
      nearReceived: this.#received,
      nearInputTick: this.sealed.length,
      nearOrderNumber: this.#nextOrder,
    }
    const turn = readClientTurn(bytes, this.#codec.delta, near, this.#slots)
    this.#received = Math.max(this.#received, turn.received)
    this.#nextOrder = Math.max(this.#nextOrder, turn.firstOrderNumber + turn.orders.length)
    const inputs = turn.inputs.slice(0, turn.inputCount * this.#codec.delta.slotCount)
    // The next turn is read into the same object.
    this.turns.push(structuredClone({ ...turn, inputs }))
  }

  #slotsOf(inputs: NonNullable<PlainContent['inputs']>): Uint32Array {
    return Uint32Array.from([0, 1].flatMap((seat) => inputs[seat] ?? idle))
  }
}

export const calm: RelayControl = {
  version: 0,
  orderNumber: 0,
  lateInputs: 0,
  echoStamp: 0,
  echoHeldMs: 65_535,
  token: 0,
  marginMinMs: marginUnknown,
  marginMedianMs: marginUnknown,
  refusals: [],
}
