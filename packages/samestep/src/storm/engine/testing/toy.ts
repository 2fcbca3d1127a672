/**
 * The smallest world with something to get wrong: callers send numbered packets to an echo, which
 * sends each back. Numbers are four bytes, little-endian, followed by zeros up to the wanted size.
 */
import type { Actor } from '../actor.ts'
import type { Conditions } from '../network/conditions.ts'
import type { LinkEnd } from '../network/link.ts'
import type { NodeId } from '../node-id.ts'
import type { World } from '../world.ts'

/** A packet that carries a number. */
export function numbered(value: number, byteLength = 16): Uint8Array {
  const bytes = new Uint8Array(byteLength)
  new DataView(bytes.buffer).setUint32(0, value, true)
  return bytes
}

/** The number in a packet. */
export function numberIn(bytes: Uint8Array): number {
  if (bytes.length < 4) return -1
  return new DataView(bytes.buffer, bytes.byteOffset).getUint32(0, true)
}

/** What an actor of the toy saw, in sequence. */
export interface Seen {
  readonly what: 'packet' | 'opened' | 'closed' | 'time'
  /** Local time. */
  readonly nowMs: number
  /** Virtual time: only tests may look at it. */
  readonly atMs: number
  readonly value: number
  readonly byteLength: number
}

/** Keeps all that happens to it, and does nothing. */
export class Listener implements Actor {
  readonly seen: Seen[] = []
  readonly ends: LinkEnd[] = []
  readonly world: World

  constructor(world: World) {
    this.world = world
  }

  handlePacket(_end: LinkEnd, bytes: Uint8Array, nowMs: number): void {
    this.record('packet', nowMs, bytes)
  }

  handleLinkOpened(end: LinkEnd, nowMs: number): void {
    this.ends.push(end)
    this.record('opened', nowMs)
  }

  handleLinkClosed(_end: LinkEnd, nowMs: number): void {
    this.record('closed', nowMs)
  }

  handleTime(nowMs: number): void {
    this.record('time', nowMs)
  }

  wakeAtMs(): number {
    return Number.POSITIVE_INFINITY
  }

  /** The numbers that arrived, in sequence. */
  get values(): number[] {
    return this.seen.filter(({ what }) => what === 'packet').map(({ value }) => value)
  }

  /** What happened, and when in virtual milliseconds. */
  get times(): (string | number)[][] {
    return this.seen.map(({ what, atMs }) => [what, atMs])
  }

  protected record(what: Seen['what'], nowMs: number, bytes?: Uint8Array): void {
    const value = bytes === undefined ? -1 : numberIn(bytes)
    const atMs = this.world.nowMs
    this.seen.push({ what, nowMs, atMs, value, byteLength: bytes?.length ?? -1 })
  }
}

/** Sends every packet back. */
export class Echo extends Listener {
  override handlePacket(end: LinkEnd, bytes: Uint8Array, nowMs: number): void {
    super.handlePacket(end, bytes, nowMs)
    this.world.send(end, bytes)
  }
}

/** How a {@link Caller} calls. */
export interface CallerOptions {
  readonly everyMs: number
  readonly to: NodeId
  readonly conditions: Conditions
  readonly byteLength?: number
}

/** Sends a numbered packet every so often, and connects again when its link is closed. */
export class Caller extends Listener {
  readonly #options: CallerOptions
  #end: LinkEnd | undefined
  #node: NodeId = -1
  #next = 0
  #nextAtMs = Number.POSITIVE_INFINITY

  constructor(world: World, options: CallerOptions) {
    super(world)
    this.#options = options
  }

  /** Packets sent. */
  get sent(): number {
    return this.#next
  }

  /** To be called within the node's own time. */
  start(node: NodeId, nowMs: number): void {
    this.#node = node
    this.#nextAtMs = nowMs
    this.#connect()
  }

  override handleLinkClosed(end: LinkEnd, nowMs: number): void {
    super.handleLinkClosed(end, nowMs)
    if (end === this.#end) this.#connect()
  }

  override handleTime(nowMs: number): void {
    super.handleTime(nowMs)
    // The schedule goes on from now after a stop or a jump: no burst, no standstill.
    this.#nextAtMs = nowMs + this.#options.everyMs
    if (this.#end !== undefined) {
      this.world.send(this.#end, numbered(this.#next++, this.#options.byteLength))
    }
  }

  override wakeAtMs(): number {
    return this.#nextAtMs
  }

  #connect(): void {
    this.#end = this.world.connect(this.#node, this.#options.to, this.#options.conditions)
  }
}

/** Adds a caller to a world and starts it. */
export function addCaller(
  world: World,
  name: string,
  options: CallerOptions,
  clock: { readonly offsetMs?: number; readonly driftPpm?: number } = {},
): Caller {
  const caller = new Caller(world, options)
  const id = world.addNode(name, caller, clock)
  world.atNode(id, world.nowMs, (nowMs) => caller.start(id, nowMs))
  return caller
}
