/**
 * Links between nodes: opening, sending, closing, breaking. Decides when something arrives and puts
 * it into the queue; the world delivers it.
 *
 *     connect ──open──►  acceptor told after one latency ──open──►  initiator told after two
 *     closeLink ──fin──►  told behind all data        resetLink ──►  both told, data gone
 *     vanishLink ──►  nobody told: what is sent goes nowhere until a timeout says so
 */

import { assert } from '../../../base/assert.ts'
import type { Prng } from '../../../base/prng.ts'
import { overlay, type PathPatch } from '../../../netem/conditions.ts'
import { sendDatagram } from '../../../netem/datagram.ts'
import { makePathStats, type PathRandom, type PathStats } from '../../../netem/path.ts'
import { resume, sendMark, sendMessage, stall } from '../../../netem/stream.ts'
import { toUs } from '../clock.ts'
import { type EventQueue, eventKind, tieFirst } from '../event-queue.ts'
import type { NodeOverlay, WorldNode } from '../node.ts'
import type { NodeId } from '../node-id.ts'
import { type Conditions, pathOf } from './conditions.ts'
import { entryKind, Link, LinkEnd, LinkPath } from './link.ts'
import { isSeparated, type Partition } from './partition.ts'

/** Datagrams that one clogged path keeps; more are dropped, as a router would. */
const cloggedMax = 1024
/** Unacknowledged bytes after which a stream's sender waits for the way back. */
const windowBytes = 65_536

const noBytes = new Uint8Array(0)

/** All links of a world. */
export class Network {
  readonly stats: PathStats = makePathStats()
  readonly links = new Set<Link>()
  readonly #queue: EventQueue
  readonly #nodes: readonly WorldNode[]
  readonly #random: (stream: string) => Prng
  readonly #partitions = new Set<Partition>()
  readonly #emit: (path: LinkPath, bytes: Uint8Array, arriveUs: number) => void
  #nextLink: number
  #endCount = 0

  constructor(
    queue: EventQueue,
    nodes: readonly WorldNode[],
    random: (stream: string) => Prng,
    firstLink: number,
  ) {
    this.#nextLink = firstLink
    this.#queue = queue
    this.#nodes = nodes
    this.#random = random
    this.#emit = (path, bytes, arriveUs) => {
      const slot = queue.take(eventKind.datagram)
      queue.paths[slot] = path
      queue.bytes[slot] = bytes
      queue.schedule(slot, arriveUs)
    }
  }

  connect(from: WorldNode, to: WorldNode, conditions: Conditions, nowUs: number): LinkEnd {
    const link = new Link(this.#nextLink++, conditions)
    const end = this.#makeEnd(link, 0, from.id, to.id)
    this.#makeEnd(link, 1, to.id, from.id)
    const there = this.#randomOf(from.name, to.name)
    const back = this.#randomOf(to.name, from.name)
    link.paths.push(
      new LinkPath(link, 0, pathOf(conditions, 'there'), there, this.stats),
      new LinkPath(link, 1, pathOf(conditions, 'back'), back, this.stats),
    )
    for (const path of link.paths) {
      for (const partition of this.#partitions) {
        if (isSeparated(partition, path.source.node, path.target.node)) path.partitions++
      }
      this.#update(path, nowUs)
    }
    this.links.add(link)
    from.ends.add(end)
    if (from.shortages > 0 || (to.shortages > 0 && link.kind === 'stream')) {
      link.connectSlot = this.#scheduleEnd(eventKind.connectTimeout, end, nowUs + refusedUs)
    } else if (link.kind === 'stream') {
      link.connectSlot = this.#scheduleEnd(
        eventKind.connectTimeout,
        end,
        nowUs + link.connectTimeoutMs * 1000,
      )
      this.#queueMark(link.paths[0]!, entryKind.open, nowUs)
    } else {
      this.#scheduleEnd(eventKind.opened, end, nowUs)
      this.#scheduleEnd(eventKind.opened, link.ends[1]!, nowUs)
    }
    return end
  }

  /** Marks an end as usable; the caller tells its actor. */
  openEnd(end: LinkEnd, nowUs: number): void {
    end.state = 'open'
    this.#nodes[end.node]!.ends.add(end)
    this.links.add(end.link)
    // Faults may have come or gone while this end did not count.
    for (const path of end.link.paths) this.#update(path, nowUs)
    if (end.kind !== 'stream') return
    if (end.side === 1) this.#queueMark(end.outgoing, entryKind.open, nowUs)
    else this.#cancelConnect(end.link)
  }

  /**
   * A new end for a datagram that reached a node without one: an address cannot be closed, so who
   * forgot a peer, or was restarted, hears of it again. `undefined` where nobody would answer.
   */
  reopenEnd(closed: LinkEnd): LinkEnd | undefined {
    const { link, side } = closed
    if (side !== 1 || link.kind !== 'datagram' || !link.isAlive) return undefined
    return this.#makeEnd(link, side, closed.node, closed.peer)
  }

  send(end: LinkEnd, bytes: Uint8Array, nowUs: number): void {
    // Told or not, a dead end takes nothing: an actor may learn of it an instant later. An end that
    // was replaced belongs to an address that is no more.
    if (end.state === 'closed' || end.link.ends[end.side] !== end) return
    const path = end.outgoing
    if (end.kind === 'datagram') {
      sendDatagram(path, bytes, nowUs, this.#emit)
      return
    }
    const arrivalUs = sendMessage(path, bytes.length, nowUs, path.reverse.conditions)
    path.queue.push(entryKind.data, bytes, arrivalUs)
    this.scheduleFirst(path, nowUs)
  }

  /** Ends one side. A stream's other side hears of it behind all data; a datagram's never does. */
  closeEnd(end: LinkEnd, nowUs: number): void {
    if (end.state === 'closed') return
    this.retireEnd(end)
    if (end.kind === 'stream') this.abort(end, nowUs)
  }

  /** Tells the other side of a stream, behind all data, that this one is gone. */
  abort(end: LinkEnd, nowUs: number): void {
    this.#queueMark(end.outgoing, entryKind.fin, nowUs)
  }

  /** A node answers a connection attempt with no. */
  refuse(link: Link, nowUs: number): void {
    const backUs = toUs(link.paths[1]!.conditions.latencyMs)
    this.#scheduleEnd(eventKind.closed, link.ends[0]!, nowUs + backUs)
  }

  /**
   * Gives the side that connected another address: what it sends opens a new end at the other side,
   * and what the old end there sends goes nowhere. Streams cannot survive that, so they vanish.
   */
  rebindLink(link: Link, nowUs: number): void {
    if (link.kind === 'stream') {
      this.vanishLink(link, nowUs)
      return
    }
    const { node, peer } = link.ends[1]!
    this.#makeEnd(link, 1, node, peer)
  }

  /** Breaks a stream: what is under way is gone; one side is told at once, the other later. */
  resetLink(link: Link, lateMs: number, nowUs: number): void {
    const isFirstLate = this.#random('reset').chance(0.5)
    this.vanishLink(link, nowUs)
    for (const end of link.ends) {
      const isLate = (end.side === 0) === isFirstLate
      const atUs = isLate ? nowUs + toUs(lateMs) : nowUs
      if (end.state !== 'closed') this.#scheduleEnd(eventKind.closed, end, atUs)
    }
  }

  /** Both directions are dead from now on, and nobody is told. */
  vanishLink(link: Link, nowUs: number): void {
    link.isVanished = true
    for (const path of link.paths) {
      path.queue.clear()
      this.#update(path, nowUs)
    }
  }

  /** Forgets an end; the caller tells whom it concerns. */
  retireEnd(end: LinkEnd): void {
    end.state = 'closed'
    this.#nodes[end.node]!.ends.delete(end)
    const { incoming, outgoing, link } = end
    if (end.kind === 'stream') {
      incoming.queue.clear()
      this.#cancelTimeout(outgoing)
      if (end.side === 0) this.#cancelConnect(link)
    }
    if (!link.isAlive) {
      this.links.delete(link)
      for (const path of link.paths) {
        for (const slot of path.clogged.splice(0)) this.#queue.release(slot)
      }
    }
  }

  setConditions(link: Link, conditions: Conditions, nowUs: number): void {
    assert(conditions.kind === link.kind, `A ${link.kind} link cannot become ${conditions.kind}`)
    link.conditions = conditions
    for (const path of link.paths) this.#update(path, nowUs)
  }

  addOverlay(node: WorldNode, entry: NodeOverlay, nowUs: number): void {
    node.overlays.add(entry)
    this.#updateNode(node, nowUs)
  }

  removeOverlay(node: WorldNode, entry: NodeOverlay, nowUs: number): void {
    if (node.overlays.delete(entry)) this.#updateNode(node, nowUs)
  }

  addPartition(partition: Partition, nowUs: number): void {
    this.#partitions.add(partition)
    this.#countPartition(partition, 1, nowUs)
  }

  removePartition(partition: Partition, nowUs: number): void {
    if (this.#partitions.delete(partition)) this.#countPartition(partition, -1, nowUs)
  }

  /** Makes a stream's receiver stop or go on reading. */
  holdReading(end: LinkEnd, isHeld: boolean, nowUs: number): void {
    end.incoming.isHeld = isHeld
    this.scheduleFirst(end.incoming, nowUs)
  }

  /** A datagram comes to the end of a clogged path. */
  keepClogged(slot: number): void {
    const path = this.#queue.paths[slot]!
    if (path.clogged.length < cloggedMax && path.link.isAlive) path.clogged.push(slot)
    else {
      this.stats.queueFull++
      this.#queue.release(slot)
    }
  }

  /** Sets the event for the first of a stream's queue, if it can arrive. */
  scheduleFirst(path: LinkPath, nowUs: number): void {
    if (path.streamSlot >= 0 || path.queue.isEmpty || path.isHeld) return
    if (this.isBlocked(path)) {
      this.stall(path, nowUs)
      return
    }
    const slot = this.#queue.take(eventKind.stream)
    this.#queue.paths[slot] = path
    path.streamSlot = slot
    this.#queue.schedule(slot, Math.max(nowUs, path.queue.firstArrivalUs, path.notBeforeUs))
  }

  /** Whether a stream cannot move: no way there, or no acknowledgement comes back. */
  isBlocked(path: LinkPath): boolean {
    if (path.isCut || path.conditions.isClogged) return true
    return path.reverse.isCut && path.unackedBytes > windowBytes
  }

  stall(path: LinkPath, nowUs: number): void {
    if (!stall(path, nowUs) || path.source.state === 'closed') return
    const slot = this.#queue.take(eventKind.streamTimeout)
    this.#queue.paths[slot] = path
    path.timeoutSlot = slot
    this.#queue.schedule(slot, nowUs + path.link.streamTimeoutMs * 1000)
  }

  #resume(path: LinkPath, nowUs: number): void {
    if (path.stalledSinceUs < 0 || this.isBlocked(path)) return
    resume(path, nowUs)
    this.#cancelTimeout(path)
    this.scheduleFirst(path, nowUs)
  }

  /** Works out what a path does now from its link, its two nodes and the partitions. */
  #update(path: LinkPath, nowUs: number): void {
    const { link } = path
    const patches: PathPatch[] = []
    for (const { way, patch } of this.#nodes[path.source.node]!.overlays) {
      if (way !== 'in') patches.push(patch)
    }
    for (const { way, patch } of this.#nodes[path.target.node]!.overlays) {
      if (way !== 'out') patches.push(patch)
    }
    const base = pathOf(link.conditions, path.side === 0 ? 'there' : 'back')
    path.setConditions(overlay(base, patches), nowUs)
    path.isCut = path.conditions.isCut || path.partitions > 0 || link.isVanished
    if (link.kind === 'stream') {
      if (!path.isCut) path.reverse.unackedBytes = 0
      this.#resume(path, nowUs)
      this.#resume(path.reverse, nowUs)
    } else if (!path.conditions.isClogged) {
      for (const slot of path.clogged.splice(0)) this.#queue.scheduleTied(slot, nowUs, tieFirst)
    }
  }

  #updateNode(node: WorldNode, nowUs: number): void {
    for (const end of node.ends) {
      for (const path of end.link.paths) this.#update(path, nowUs)
    }
  }

  #countPartition(partition: Partition, by: 1 | -1, nowUs: number): void {
    for (const link of this.links) {
      for (const path of link.paths) {
        if (!isSeparated(partition, path.source.node, path.target.node)) continue
        path.partitions += by
        this.#update(path, nowUs)
      }
    }
  }

  /** Puts the mark of an opened or ended connection into the queue, so that it keeps its place. */
  #queueMark(path: LinkPath, kind: number, nowUs: number): void {
    const isOpening = kind === entryKind.open
    const arrivalUs = sendMark(path, nowUs, path.reverse.conditions, isOpening)
    path.queue.push(kind, noBytes, arrivalUs)
    this.scheduleFirst(path, nowUs)
  }

  #makeEnd(link: Link, side: 0 | 1, node: NodeId, peer: NodeId): LinkEnd {
    const end = new LinkEnd(this.#endCount++, link, side, node, peer)
    link.ends[side] = end
    return end
  }

  #randomOf(from: string, to: string): PathRandom {
    const name = `${from}>${to}`
    return {
      each: this.#random(`net/${name}`),
      rare: this.#random(`net-rare/${name}`),
      burst: this.#random(`net-burst/${name}`),
    }
  }

  #scheduleEnd(kind: number, end: LinkEnd, atUs: number): number {
    const slot = this.#queue.take(kind)
    this.#queue.ends[slot] = end
    this.#queue.schedule(slot, atUs)
    return slot
  }

  #cancelConnect(link: Link): void {
    if (link.connectSlot >= 0 && this.#queue.unschedule(link.connectSlot)) {
      this.#queue.release(link.connectSlot)
    }
    link.connectSlot = -1
  }

  #cancelTimeout(path: LinkPath): void {
    if (path.timeoutSlot >= 0 && this.#queue.unschedule(path.timeoutSlot)) {
      this.#queue.release(path.timeoutSlot)
    }
    path.timeoutSlot = -1
  }
}

/** How soon an operating system says that there is no socket, or that nobody listens. */
const refusedUs = 1_000
