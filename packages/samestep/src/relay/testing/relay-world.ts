import type { Channel } from '../../link/channel.ts'
import { DatagramChannel } from '../../link/datagram/datagram-channel.ts'
import { StreamChannel } from '../../link/stream/stream-channel.ts'
import { MatchHistories, type MatchHistory, scanRecord } from '../../record/index.ts'
import type { SystemEvent } from '../../sim/game/run/bundle.ts'
import type { MatchConfig } from '../../wire/messages/messages.ts'
import type { AuthorizationAnswer, AuthorizationRequest } from '../links/authorization.ts'
import type { MatchEvent } from '../match/match-types.ts'
import { Relay } from '../relay.ts'
import type { RelayOptions } from '../relay-options.ts'
import { RelayPump } from '../relay-pump.ts'
import type { PlainBundle } from './match-kit.ts'
import { BundleReader, testConfig } from './match-kit.ts'
import type { JoinOptions } from './scripted-client.ts'
import { ScriptedClient } from './scripted-client.ts'

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
