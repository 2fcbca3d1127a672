/**
 * Takes events out of the queue and calls the actors: who is paused hears later, who is gone never,
 * and whoever was called is asked when to wake it next.
 */
import { assert, unreachable } from '../../base/assert.ts'
import type { Prng } from '../../base/prng.ts'
import type { Actor } from './actor.ts'
import { type EventQueue, eventKind, tieFirst, tieLast } from './event-queue.ts'
import type { LinkEnd } from './network/link.ts'
import { entryKind, type LinkPath } from './network/link.ts'
import type { Network } from './network/network.ts'
import type { WorldNode } from './node.ts'
import type { NodeId } from './node-id.ts'
import type { Trace, TraceKind } from './trace.ts'
import { Violation } from './violation.ts'

const never = Number.POSITIVE_INFINITY
/** What no timer of Node or a browser does quicker: be due again right after it fired. */
const hastyUs = 1000
/** A node spins when nine of ten wake-ups, over so many, leave it due again at once. */
const wakesCounted = 1000
const hastyWakesMax = 900

/** What the dispatcher works on. */
export interface DispatcherParts {
  readonly queue: EventQueue
  readonly network: Network
  readonly nodes: readonly WorldNode[]
  readonly trace: Trace
  /** Decides whether a paused node's timer or its packets come first. */
  readonly coin: Prng
}

/** The engine's inner loop. */
export class Dispatcher {
  nowUs = 0
  events = 0
  lastNode: NodeId = -1
  readonly #queue: EventQueue
  readonly #network: Network
  readonly #nodes: readonly WorldNode[]
  readonly #trace: Trace
  readonly #coin: Prng

  constructor(parts: DispatcherParts) {
    this.#queue = parts.queue
    this.#network = parts.network
    this.#nodes = parts.nodes
    this.#trace = parts.trace
    this.#coin = parts.coin
  }

  /**
   * Takes the next event. False when it reached nobody: a packet that died on its way, for example.
   *
   * @throws Violation `I-20` when an actor throws anything else than a violation.
   */
  runNext(): boolean {
    this.nowUs = this.#queue.nextUs
    this.lastNode = -1
    try {
      return this.#run(this.#queue.pop())
    } catch (error) {
      const node = this.#nodes[this.lastNode]
      if (node === undefined || error instanceof Violation) throw error
      const place = { atMs: this.nowUs / 1000, node: node.name }
      throw new Violation('I-20', place, `The actor threw: ${String(error)}`, { cause: error })
    }
  }

  /** Asks a node when to wake it and sets its timer. */
  armTimer(node: WorldNode, tie = -1): void {
    const { actor, timerSlot } = node
    if (actor === undefined || node.isPaused) return
    node.wakeMs = actor.wakeAtMs()
    if (Number.isNaN(node.wakeMs)) assert(false, `${node.name} gives NaN as its wake-up time`)
    let atUs = node.clock.toVirtualUs(node.wakeMs - node.setBackMs, this.nowUs)
    if (atUs === never) {
      this.#queue.unschedule(timerSlot)
      return
    }
    node.isHasty = atUs === this.nowUs && node.lastTimerUs === atUs
    if (node.isHasty) atUs += hastyUs
    if (node.throttleUs > 0) atUs = Math.max(atUs, node.lastTimerUs + node.throttleUs)
    if (tie < 0) this.#queue.schedule(timerSlot, atUs)
    else this.#queue.scheduleTied(timerSlot, atUs, tie)
  }

  pause(node: WorldNode, untilUs: number): void {
    if (node.actor === undefined) return
    node.isPaused = true
    node.pausedUntilUs = Math.max(node.pausedUntilUs, untilUs)
    this.#queue.schedule(node.resumeSlot, node.pausedUntilUs)
  }

  resumeNow(node: WorldNode): void {
    if (!node.isPaused) return
    node.pausedUntilUs = this.nowUs
    this.#queue.schedule(node.resumeSlot, this.nowUs)
  }

  /** Drops all that waits for a node that is gone. */
  forget(node: WorldNode): void {
    this.#queue.unschedule(node.timerSlot)
    this.#queue.unschedule(node.resumeSlot)
    node.isPaused = false
    node.pausedUntilUs = 0
    node.throttleUs = 0
    node.setBackMs = 0
    node.lastTimerUs = Number.NEGATIVE_INFINITY
    for (const slot of node.deferred.splice(0)) {
      if (this.#queue.kinds[slot] === eventKind.stream) this.#queue.paths[slot]!.streamSlot = -1
      this.#queue.release(slot)
    }
  }

  #run(slot: number): boolean {
    const queue = this.#queue
    switch (queue.kinds[slot]) {
      case eventKind.datagram:
        return this.#arrive(slot)
      case eventKind.received:
        return this.#receive(slot)
      case eventKind.stream:
        return this.#arriveStream(slot)
      case eventKind.timer:
        return this.#wake(queue.nodes[slot]!)
      case eventKind.resume:
        return this.#resume(queue.nodes[slot]!)
      case eventKind.opened:
        return this.#tellOpened(slot)
      case eventKind.closed:
        return this.#tellClosed(slot)
      case eventKind.streamTimeout:
        queue.paths[slot]!.timeoutSlot = -1
        return this.#giveUp(slot, queue.paths[slot]!.source)
      case eventKind.connectTimeout:
        return this.#giveUpConnecting(slot)
      case eventKind.work:
        return this.#work(slot)
      case eventKind.action:
        return this.#act(slot)
      default:
        return unreachable(queue.kinds[slot] as never)
    }
  }

  /** A datagram comes to the end of its path. */
  #arrive(slot: number): boolean {
    const path = this.#queue.paths[slot]!
    if (path.isCut) {
      this.#network.stats.cut++
      this.#queue.release(slot)
      return false
    }
    if (path.conditions.isClogged) {
      this.#network.keepClogged(slot)
      return false
    }
    this.#queue.kinds[slot] = eventKind.received
    return this.#receive(slot)
  }

  #receive(slot: number): boolean {
    const queue = this.#queue
    const path = queue.paths[slot]!
    const node = this.#nodes[path.target.node]!
    if (this.#isDeferred(node, slot)) return false
    const bytes = queue.bytes[slot]!
    queue.release(slot)
    let end = path.target
    if (node.actor !== undefined && end.state !== 'open') {
      const fresh = this.#network.reopenEnd(end)
      if (fresh !== undefined) this.#open(node, fresh)
      end = fresh ?? end
    }
    if (node.actor === undefined || end.state !== 'open') {
      this.#network.stats.cut++
      return false
    }
    this.#deliver(node, end, bytes)
    return true
  }

  /** The first of a stream's queue is due. */
  #arriveStream(slot: number): boolean {
    const queue = this.#queue
    const network = this.#network
    const path = queue.paths[slot]!
    const node = this.#nodes[path.target.node]!
    const isDue =
      !path.queue.isEmpty &&
      !path.isHeld &&
      !network.isBlocked(path) &&
      Math.max(path.queue.firstArrivalUs, path.notBeforeUs) <= this.nowUs
    if (isDue && this.#isDeferred(node, slot)) return false
    path.streamSlot = -1
    queue.release(slot)
    if (!isDue) {
      network.scheduleFirst(path, this.nowUs)
      return false
    }
    const kind = path.queue.firstKind
    const bytes = path.queue.firstBytes
    path.queue.dropFirst()
    if (path.reverse.isCut) path.unackedBytes += bytes.length
    network.scheduleFirst(path, this.nowUs)
    return this.#takeEntry(node, path, kind, bytes)
  }

  #takeEntry(node: WorldNode, path: LinkPath, kind: number, bytes: Uint8Array): boolean {
    const end = path.target
    if (kind === entryKind.open && end.state === 'opening') {
      if (node.actor !== undefined) return this.#open(node, end)
      if (!node.isDark) this.#network.refuse(end.link, this.nowUs)
      return false
    }
    if (end.state !== 'open') return false
    if (kind === entryKind.fin) return this.#close(node, end)
    this.#deliver(node, end, bytes)
    return true
  }

  #deliver(node: WorldNode, end: LinkEnd, bytes: Uint8Array): void {
    this.#network.stats.delivered++
    const actor = this.#enter(node, 1, end.link.id, bytes)
    actor.handlePacket(end, bytes, node.clock.toLocalMs(this.nowUs))
    this.#leave(node)
  }

  #tellOpened(slot: number): boolean {
    const end = this.#queue.ends[slot]!
    const node = this.#nodes[end.node]!
    if (this.#isDeferred(node, slot)) return false
    this.#queue.release(slot)
    if (end.state !== 'opening' || node.actor === undefined) return false
    return this.#open(node, end)
  }

  #open(node: WorldNode, end: LinkEnd): boolean {
    this.#network.openEnd(end, this.nowUs)
    const actor = this.#enter(node, 2, end.link.id)
    actor.handleLinkOpened?.(end, node.clock.toLocalMs(this.nowUs))
    this.#leave(node)
    return true
  }

  #tellClosed(slot: number): boolean {
    const end = this.#queue.ends[slot]!
    const node = this.#nodes[end.node]!
    if (this.#isDeferred(node, slot)) return false
    this.#queue.release(slot)
    if (end.state === 'closed') return false
    return this.#close(node, end)
  }

  #close(node: WorldNode, end: LinkEnd): boolean {
    this.#network.retireEnd(end)
    if (node.actor === undefined) return false
    const actor = this.#enter(node, 3, end.link.id)
    actor.handleLinkClosed?.(end, node.clock.toLocalMs(this.nowUs))
    this.#leave(node)
    return true
  }

  /** A timeout becomes a closing, which waits like any other while its node is paused. */
  #giveUp(slot: number, end: LinkEnd): boolean {
    this.#queue.kinds[slot] = eventKind.closed
    this.#queue.ends[slot] = end
    return this.#tellClosed(slot)
  }

  #giveUpConnecting(slot: number): boolean {
    const end = this.#queue.ends[slot]!
    end.link.connectSlot = -1
    // The other side may have heard of the connection, and waits.
    if (end.kind === 'stream') this.#network.abort(end, this.nowUs)
    return this.#giveUp(slot, end)
  }

  #wake(node: WorldNode): boolean {
    // Paused: the timer is set anew when the node goes on.
    if (node.actor === undefined || node.isPaused) return false
    node.lastTimerUs = this.nowUs
    const actor = this.#enter(node, 4, -1)
    this.#countWake(node)
    actor.handleTime(node.clock.toLocalMs(this.nowUs))
    this.#leave(node)
    return true
  }

  #countWake(node: WorldNode): void {
    if (node.isHasty) node.hastyWakes++
    if (++node.wakes < wakesCounted) return
    if (node.hastyWakes > hastyWakesMax) throw new Error('It spins: handleTime leaves it overdue')
    node.wakes = 0
    node.hastyWakes = 0
  }

  #resume(node: WorldNode): boolean {
    node.isPaused = false
    // An event loop may look at its timers first or at its sockets first.
    const isTimerFirst = this.#coin.chance(0.5)
    if (isTimerFirst) this.armTimer(node, tieFirst)
    for (const slot of node.deferred) this.#queue.scheduleTied(slot, this.nowUs, tieFirst)
    node.deferred.length = 0
    if (!isTimerFirst) this.armTimer(node, tieLast)
    return false
  }

  #work(slot: number): boolean {
    const node = this.#queue.nodes[slot]!
    if (this.#isDeferred(node, slot)) return false
    const action = this.#queue.actions[slot]!
    this.#queue.release(slot)
    if (node.actor === undefined) return false
    this.#enter(node, 5, -1)
    action(node.clock.toLocalMs(this.nowUs))
    this.#leave(node)
    return true
  }

  #act(slot: number): boolean {
    const action = this.#queue.actions[slot]!
    this.#queue.release(slot)
    this.events++
    this.#trace.hash(6, this.nowUs, -1, -1)
    action(this.nowUs / 1000)
    return true
  }

  /** Whether an event must wait because its node is paused; if so, it is kept. */
  #isDeferred(node: WorldNode, slot: number): boolean {
    if (!node.isPaused || node.actor === undefined) return false
    node.deferred.push(slot)
    return true
  }

  #enter(node: WorldNode, kind: TraceKind, link: number, bytes?: Uint8Array): Actor {
    this.events++
    this.lastNode = node.id
    this.#trace.hash(kind, this.nowUs, node.id, link, bytes)
    if (this.#trace.isKeepingLines) this.#trace.keep(kind, this.nowUs, node.name, link, bytes)
    return node.actor!
  }

  #leave(node: WorldNode): void {
    const { actor } = node
    // The actor may have ended its own node. An unchanged wake-up keeps its timer, and its draw.
    if (actor === undefined) return
    if (actor.wakeAtMs() === node.wakeMs && this.#queue.isScheduled(node.timerSlot)) return
    node.setBackMs = 0
    this.armTimer(node)
  }
}
