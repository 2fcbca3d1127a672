import type { PathConditions } from '../../../netem/conditions.ts'
import { anyLength } from '../../../netem/damage.ts'
import type { PathRandom, PathStats } from '../../../netem/path.ts'
import { Path } from '../../../netem/path.ts'
import type { NodeId } from '../node-id.ts'
import {
  bufferBytesDefault,
  type Conditions,
  connectTimeoutMsDefault,
  streamTimeoutMsDefault,
} from './conditions.ts'
import { StreamQueue } from './stream-queue.ts'

/** One side of a link, as its node sees it. Compare by identity; `id` is for maps and messages. */
export class LinkEnd {
  /** Unique in the world, over all links and restarts. */
  readonly id: number
  readonly link: Link
  /** 0 for the side that connected, 1 for the side that was connected to. */
  readonly side: 0 | 1
  /** The node that this end belongs to, and the one at the other end. */
  readonly node: NodeId
  readonly peer: NodeId
  /** Use the world to change it. */
  state: 'opening' | 'open' | 'closed' = 'opening'

  constructor(id: number, link: Link, side: 0 | 1, node: NodeId, peer: NodeId) {
    this.id = id
    this.link = link
    this.side = side
    this.node = node
    this.peer = peer
  }

  get kind(): 'stream' | 'datagram' {
    return this.link.kind
  }

  get isOpen(): boolean {
    return this.state === 'open'
  }

  /**
   * Bytes given to a stream that the operating system has not taken yet: what a browser calls
   * `bufferedAmount`. Always 0 for datagrams, which are dropped instead.
   */
  get backlogBytes(): number {
    return Math.max(0, this.outgoing.queue.waitingBytes - this.link.bufferBytes)
  }

  /** The direction in which this end sends. */
  get outgoing(): LinkPath {
    return this.link.paths[this.side]!
  }

  /** The direction from which this end receives. */
  get incoming(): LinkPath {
    return this.link.paths[1 - this.side]!
  }
}

/** A connection between two nodes: two ends and two paths. Made by `World.connect` only. */
export class Link {
  readonly id: number
  readonly kind: 'stream' | 'datagram'
  conditions: Conditions
  /** Index 0 belongs to the side that connected. A datagram end may be replaced by a later one. */
  readonly ends: LinkEnd[] = []
  readonly paths: LinkPath[] = []
  /** Both directions are dead for ever and nobody was told. */
  isVanished = false
  /** The slot of the event that gives up connecting; −1 when there is none. */
  connectSlot = -1

  constructor(id: number, conditions: Conditions) {
    this.id = id
    this.kind = conditions.kind
    this.conditions = conditions
  }

  get bufferBytes(): number {
    return this.conditions.bufferBytes ?? bufferBytesDefault
  }

  get streamTimeoutMs(): number {
    return this.conditions.streamTimeoutMs ?? streamTimeoutMsDefault
  }

  get connectTimeoutMs(): number {
    return this.conditions.connectTimeoutMs ?? connectTimeoutMsDefault
  }

  /** Whether any side uses the link. An acceptor that was not told yet does not count. */
  get isAlive(): boolean {
    return this.ends[0]!.state !== 'closed' || this.ends[1]!.state === 'open'
  }
}

/** What stands in a stream's queue. */
export const entryKind = { data: 0, open: 1, fin: 2 } as const

/** One direction of one link: a path between two ends, with what is on its way. */
export class LinkPath extends Path {
  readonly link: Link
  /** The side that sends. */
  readonly side: 0 | 1
  /** How many partitions separate the two nodes in this direction. */
  partitions = 0
  /** Datagrams that wait for the end of a clog. */
  readonly clogged: number[] = []

  readonly queue = new StreamQueue()
  /** Delivered while the way back was cut: not acknowledged, so the window closes on them. */
  unackedBytes = 0
  /** The event for the first of the queue; −1 when none is set. */
  streamSlot = -1
  /** The event that ends a stalled stream; −1 when none is set. */
  timeoutSlot = -1
  /** The receiver does not read. */
  isHeld = false

  constructor(
    link: Link,
    side: 0 | 1,
    conditions: PathConditions,
    random: PathRandom,
    stats: PathStats,
  ) {
    super(conditions, random, stats, anyLength)
    this.link = link
    this.side = side
  }

  /** The end that receives. */
  get target(): LinkEnd {
    return this.link.ends[1 - this.side]!
  }

  get source(): LinkEnd {
    return this.link.ends[this.side]!
  }

  get reverse(): LinkPath {
    return this.link.paths[1 - this.side]!
  }
}
