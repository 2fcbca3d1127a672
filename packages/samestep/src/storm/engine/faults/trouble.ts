import type { PathPatch } from '../../../netem/conditions.ts'
import { toUs } from '../clock.ts'
import type { Dispatcher } from '../dispatcher.ts'
import type { LinkEnd } from '../network/link.ts'
import type { Network } from '../network/network.ts'
import { makePartition, type Partition } from '../network/partition.ts'
import type { WorldNode } from '../node.ts'
import type { NodeId } from '../node-id.ts'

/** Ends what it was returned for. Calling it twice is harmless. */
export type Undo = () => void

/** What can go wrong in a world without anybody in it doing anything: lines, event loops and clocks. */
export class Trouble {
  readonly #network: Network
  readonly #dispatcher: Dispatcher
  readonly #nodeOf: (id: NodeId) => WorldNode
  readonly #partitions = new Map<number, Partition>()
  #partitionCount = 0

  constructor(network: Network, dispatcher: Dispatcher, nodeOf: (id: NodeId) => WorldNode) {
    this.#network = network
    this.#dispatcher = dispatcher
    this.#nodeOf = nodeOf
  }

  /** Lays a fault over all that a node sends or receives, on links to come too. */
  addOverlay(id: NodeId, way: 'out' | 'in' | 'both', patch: PathPatch): Undo {
    const node = this.#nodeOf(id)
    const entry = { way, patch }
    this.#network.addOverlay(node, entry, this.#nowUs)
    return () => this.#network.removeOverlay(node, entry, this.#nowUs)
  }

  /** Lets no more links be opened by a node, and no streams to it: it has no sockets left. */
  refuseLinks(id: NodeId): Undo {
    const node = this.#nodeOf(id)
    let isRefusing = true
    node.shortages += 1
    return () => {
      if (isRefusing) node.shortages -= 1
      isRefusing = false
    }
  }

  /** Separates groups of nodes; whoever is in none of them is in one more group. */
  partition(groups: readonly (readonly NodeId[])[], isOneWay = false): number {
    const partition = makePartition(groups, isOneWay)
    const id = this.#partitionCount++
    this.#partitions.set(id, partition)
    this.#network.addPartition(partition, this.#nowUs)
    return id
  }

  /** Ends one partition, or all. */
  heal(id?: number): void {
    for (const [key, partition] of this.#partitions) {
      if (id !== undefined && id !== key) continue
      this.#partitions.delete(key)
      this.#network.removePartition(partition, this.#nowUs)
    }
  }

  /** Makes a node stop (or go on) reading a stream: its sender's backlog grows. */
  holdReading(end: LinkEnd, isHeld: boolean): void {
    this.#network.holdReading(end, isHeld, this.#nowUs)
  }

  /** Stops a node's event loop: whatever comes waits and then comes at once. Clocks go on. */
  pauseNode(id: NodeId, ms: number): void {
    this.#dispatcher.pause(this.#nodeOf(id), this.#nowUs + toUs(ms))
  }

  /** Ends a pause early. */
  resumeNode(id: NodeId): void {
    this.#dispatcher.resumeNow(this.#nodeOf(id))
  }

  /** Lets a node's timers fire at most once per interval, as in a hidden tab; 0 for no limit. */
  throttleTimers(id: NodeId, intervalMs: number): void {
    const node = this.#nodeOf(id)
    node.throttleUs = toUs(intervalMs)
    this.#dispatcher.armTimer(node)
  }

  /** Sets a node's clock. One that is set back keeps nobody asleep: timers stay where they are. */
  jumpClock(id: NodeId, byMs: number): void {
    const node = this.#nodeOf(id)
    const setMs = node.clock.jump(byMs, this.#nowUs)
    if (setMs < 0) node.setBackMs -= setMs
    this.#dispatcher.armTimer(node)
  }

  freezeClock(id: NodeId): Undo {
    const node = this.#nodeOf(id)
    let isFrozen = true
    node.clock.freeze(this.#nowUs)
    this.#dispatcher.armTimer(node)
    return () => {
      if (isFrozen) node.clock.thaw(this.#nowUs)
      isFrozen = false
      this.#dispatcher.armTimer(node)
    }
  }

  /** Another drift from now on; without a figure, the one the node started with. */
  setDrift(id: NodeId, ppm?: number): void {
    const node = this.#nodeOf(id)
    node.clock.setDrift(ppm, this.#nowUs)
    this.#dispatcher.armTimer(node)
  }

  get #nowUs(): number {
    return this.#dispatcher.nowUs
  }
}
