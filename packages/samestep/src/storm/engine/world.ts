/**
 * A whole world in one process under virtual time: nodes with their own clocks, links with their own
 * conditions, and one queue of everything that will happen. One seed makes it; nothing in it reads a
 * real clock, so an hour takes seconds and a failure happens again whenever the plan is run again.
 *
 *     step():  take the soonest event ─► its node's actor is called with its local time
 *                     ▲                                  │ sends, opens, closes
 *                     └───────── new events ◄────────────┘ and is asked when to wake it
 *
 * Virtual time is kept in whole microseconds and shown in milliseconds.
 */
import { assert } from '../../base/assert.ts'
import { Prng } from '../../base/prng.ts'
import type { PathStats } from '../../netem/path.ts'
import type { Actor } from './actor.ts'
import type { ClockPlan } from './clock.ts'
import { toUs } from './clock.ts'
import { Dispatcher } from './dispatcher.ts'
import { EventQueue, eventKind } from './event-queue.ts'
import { Trouble } from './faults/trouble.ts'
import type { Conditions } from './network/conditions.ts'
import type { Link, LinkEnd } from './network/link.ts'
import { Network } from './network/network.ts'
import { WorldNode } from './node.ts'
import type { NodeId } from './node-id.ts'
import { Sometimes } from './sometimes.ts'
import { Trace } from './trace.ts'
import { Violation } from './violation.ts'

/** What a world is made from. */
export interface WorldOptions {
  /** An integer from 0 to 2⁵³−1. */
  readonly seed: number
  /** Readable lines to keep for a failure report. 0, the default, is fastest. */
  readonly traceLines?: number
  /** The number of the first link; 0 when left out. */
  readonly firstLink?: number
  /** Ids that a batch must meet, see {@link Sometimes}. */
  readonly sometimesExpected?: readonly string[]
}

/** The simulated world. */
export class World {
  readonly seed: number
  readonly coverage: Sometimes
  /** What goes wrong with its nodes and links. */
  readonly trouble: Trouble
  readonly #nodes: WorldNode[] = []
  readonly #names = new Map<string, NodeId>()
  readonly #streams = new Map<string, Prng>()
  readonly #queue: EventQueue
  readonly #network: Network
  readonly #trace: Trace
  readonly #dispatcher: Dispatcher

  constructor(options: WorldOptions) {
    this.seed = options.seed
    this.coverage = new Sometimes(options.sometimesExpected)
    this.#trace = new Trace(options.traceLines ?? 0)
    this.#queue = new EventQueue(this.random('sched'))
    const random = (stream: string) => this.random(stream)
    this.#network = new Network(this.#queue, this.#nodes, random, options.firstLink ?? 0)
    this.#dispatcher = new Dispatcher({
      queue: this.#queue,
      network: this.#network,
      nodes: this.#nodes,
      trace: this.#trace,
      coin: this.random('sched/resume'),
    })
    this.trouble = new Trouble(this.#network, this.#dispatcher, (id) => this.#node(id))
  }

  /** Virtual time. */
  get nowMs(): number {
    return this.#dispatcher.nowUs / 1000
  }

  /** Events that were delivered to somebody. */
  get events(): number {
    return this.#dispatcher.events
  }

  /** Events to come. */
  get pendingEvents(): number {
    return this.#queue.size
  }

  /** Events to come and those that wait at paused nodes or clogged paths; two belong to each node. */
  get slotsInUse(): number {
    return this.#queue.slotsInUse
  }

  /** The node that was called by the last event; −1 when it was none. */
  get lastNode(): NodeId {
    return this.#dispatcher.lastNode
  }

  get stats(): Readonly<PathStats> {
    return this.#network.stats
  }

  /** Starts a node. Its actor is asked at once when to wake it. */
  addNode(name: string, actor: Actor, clock: ClockPlan = {}): NodeId {
    assert(!this.#names.has(name), `There is a node named ${name} already`)
    const id = this.#nodes.length
    const queue = this.#queue
    const slots = { timer: queue.take(eventKind.timer), resume: queue.take(eventKind.resume) }
    const node = new WorldNode(id, name, clock, slots, this.#nowUs)
    queue.nodes[slots.timer] = node
    queue.nodes[slots.resume] = node
    this.#nodes.push(node)
    this.#names.set(name, id)
    this.#start(node, actor)
    return id
  }

  /**
   * Ends a node's process. Its streams are closed as an operating system closes them: what was sent
   * still arrives. A node that goes `dark` (power loss) closes nothing: others wait for a timeout.
   */
  removeNode(id: NodeId, options: { readonly isDark?: boolean } = {}): void {
    const node = this.#node(id)
    if (node.actor === undefined) return
    node.actor = undefined
    node.isDark = options.isDark === true
    for (const end of node.ends) {
      if (!node.isDark) this.#network.closeEnd(end, this.#nowUs)
      else {
        // A datagram's address outlives the machine; a stream's state does not.
        if (end.kind === 'stream') this.#network.vanishLink(end.link, this.#nowUs)
        this.#network.retireEnd(end)
      }
    }
    this.#dispatcher.forget(node)
  }

  /** Starts a node again, with another actor and no links; ends it first if it still runs. */
  restartNode(id: NodeId, actor: Actor): void {
    this.removeNode(id)
    this.#start(this.#node(id), actor)
  }

  /**
   * Opens a link. On a stream the other side is told after one latency and the own side after two,
   * or that it failed; what is sent before waits. On datagrams both sides are told at once.
   */
  connect(from: NodeId, to: NodeId, conditions: Conditions): LinkEnd {
    const node = this.#node(from)
    assert(node.actor !== undefined, `${node.name} does not run, so it cannot connect`)
    return this.#network.connect(node, this.#node(to), conditions, this.#nowUs)
  }

  /** Sends bytes, which belong to the world from now on. Nothing happens on a closed end. */
  send(end: LinkEnd, bytes: Uint8Array): void {
    this.#network.send(end, bytes, this.#nowUs)
  }

  /** Closes the own end. A stream's other side is told behind the data, a datagram's never. */
  closeLink(end: LinkEnd): void {
    this.#network.closeEnd(end, this.#nowUs)
  }

  /** Breaks a stream: data under way is lost, one side is told now, the other after `lateMs`. */
  resetLink(link: Link, lateMs = 0): void {
    this.#network.resetLink(link, lateMs, this.#nowUs)
  }

  /** Leaves a link half open: nothing passes any more, and nobody is told. */
  vanishLink(link: Link): void {
    this.#network.vanishLink(link, this.#nowUs)
  }

  /** Gives the connecting side another address (a NAT forgot it): datagrams go on from there. */
  rebindLink(link: Link): void {
    this.#network.rebindLink(link, this.#nowUs)
  }

  setConditions(link: Link, conditions: Conditions): void {
    this.#network.setConditions(link, conditions, this.#nowUs)
  }

  /** Runs an action of the world at a virtual time; now, if that is past. */
  at(virtualMs: number, action: () => void): void {
    const slot = this.#queue.take(eventKind.action)
    this.#queue.actions[slot] = action
    this.#queue.schedule(slot, Math.max(this.#nowUs, toUs(virtualMs)))
  }

  /**
   * Lets a node do something at a virtual time: the action gets the node's local time, waits while
   * the node is paused, and is dropped if it does not run. The node is asked for its wake-up after.
   */
  atNode(id: NodeId, virtualMs: number, action: (nowMs: number) => void): void {
    const slot = this.#queue.take(eventKind.work)
    this.#queue.nodes[slot] = this.#node(id)
    this.#queue.actions[slot] = action
    this.#queue.schedule(slot, Math.max(this.#nowUs, toUs(virtualMs)))
  }

  /** A random stream by name. The same seed and name always give the same draws. */
  random(stream: string): Prng {
    let prng = this.#streams.get(stream)
    if (prng === undefined) {
      prng = new Prng(this.seed, stream)
      this.#streams.set(stream, prng)
    }
    return prng
  }

  /** The number of a node, if there is one of that name. */
  nodeNamed(name: string): NodeId | undefined {
    return this.#names.get(name)
  }

  nameOf(id: NodeId): string {
    return this.#node(id).name
  }

  isRunning(id: NodeId): boolean {
    return this.#node(id).actor !== undefined
  }

  /** What a node's clock shows. */
  localMs(id: NodeId): number {
    return this.#node(id).clock.toLocalMs(this.#nowUs)
  }

  /** The ends that a node has, opening ones of its own included. */
  endsOf(id: NodeId): LinkEnd[] {
    return [...this.#node(id).ends]
  }

  /** Counts something that ought to happen now and then. */
  sometimes(id: string, condition = true): void {
    this.coverage.hit(id, condition)
  }

  /** Throws a {@link Violation} unless the condition holds. */
  always(invariant: string, condition: boolean, detail: string | (() => string)): void {
    if (condition) return
    const text = typeof detail === 'string' ? detail : detail()
    const node = this.#nodes[this.lastNode]?.name
    throw new Violation(invariant, { atMs: this.nowMs, node }, text)
  }

  /** 16 hex digits over everything delivered so far: equal for equal runs. */
  traceHash(): string {
    return this.#trace.digest()
  }

  /** Writes a line into the trace; it costs nothing while no lines are kept. */
  note(text: string): void {
    this.#trace.note(text, this.#nowUs)
  }

  /** The last lines of the trace, oldest first. */
  traceLines(): string[] {
    return this.#trace.lines()
  }

  /** Delivers the next event. False when nothing will ever happen again. */
  step(): boolean {
    while (this.#queue.size > 0) {
      if (this.#dispatcher.runNext()) return true
    }
    return false
  }

  /** Delivers everything up to and at `virtualMs`, then stands at that time. */
  runUntil(virtualMs: number, afterEvent?: () => void): void {
    const untilUs = toUs(virtualMs)
    const dispatcher = this.#dispatcher
    const queue = this.#queue
    while (queue.nextUs <= untilUs) {
      if (dispatcher.runNext()) afterEvent?.()
    }
    dispatcher.nowUs = Math.max(dispatcher.nowUs, untilUs)
  }

  get #nowUs(): number {
    return this.#dispatcher.nowUs
  }

  #start(node: WorldNode, actor: Actor): void {
    node.actor = actor
    node.isDark = false
    this.#dispatcher.armTimer(node)
  }

  #node(id: NodeId): WorldNode {
    const node = this.#nodes[id]
    assert(node !== undefined, `There is no node ${id}`)
    return node
  }
}
