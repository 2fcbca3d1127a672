/**
 * Everything that will happen, by time. An event is a slot: a number under which small arrays hold
 * what belongs to it. Slots are recycled, so that a busy world makes no garbage of its own.
 */
import { EventHeap } from '../../base/heap.ts'
import type { Prng } from '../../base/prng.ts'
import type { LinkEnd, LinkPath } from './network/link.ts'
import type { WorldNode } from './node.ts'

/** What a slot means. Plain numbers: this is switched on for every event. */
export const eventKind = {
  /** A datagram reaches the end of its path. */
  datagram: 1,
  /** A datagram that waits at a node that was paused. */
  received: 2,
  /** The first of a stream's queue is due. */
  stream: 3,
  /** A stream made no progress for too long. */
  streamTimeout: 4,
  connectTimeout: 5,
  opened: 6,
  closed: 7,
  timer: 8,
  resume: 9,
  /** Something done by the world. */
  action: 10,
  /** Something done by a node because the plan says so. */
  work: 11,
} as const

/** First, and last, of everything that happens at one instant. */
export const tieFirst = 0
export const tieLast = 0xffff_ffff

const slotsAtStart = 256

/** The events to come, and what belongs to each. */
export class EventQueue {
  readonly #heap = new EventHeap(slotsAtStart)
  readonly #sched: Prng
  readonly #free: number[] = []
  #slotCount = 0

  /** By slot. Only the fields that the slot's kind needs are set. */
  readonly kinds: number[] = []
  readonly ends: (LinkEnd | undefined)[] = []
  readonly paths: (LinkPath | undefined)[] = []
  readonly nodes: (WorldNode | undefined)[] = []
  readonly bytes: (Uint8Array | undefined)[] = []
  readonly actions: (((nowMs: number) => void) | undefined)[] = []

  /** `sched` decides between events of one instant. */
  constructor(sched: Prng) {
    this.#sched = sched
  }

  get nextUs(): number {
    return this.#heap.nextTime
  }

  get size(): number {
    return this.#heap.size
  }

  /** Slots in use, waiting or not: what a leak would raise. */
  get slotsInUse(): number {
    return this.#slotCount - this.#free.length
  }

  /** A slot of a kind, not yet in the queue. */
  take(kind: number): number {
    const slot = this.#free.pop() ?? this.#slotCount++
    this.kinds[slot] = kind
    return slot
  }

  /** Gives a slot back; it must not be in the queue. */
  release(slot: number): void {
    // The other references are small and overwritten soon; packets and closures may be large.
    this.bytes[slot] = undefined
    this.actions[slot] = undefined
    this.#free.push(slot)
  }

  /** Lets a slot happen at `atUs`, in random sequence with others of that instant. */
  schedule(slot: number, atUs: number): void {
    this.#heap.move(slot, atUs, this.#sched.u32())
  }

  /** The same with a fixed place among the events of the instant. */
  scheduleTied(slot: number, atUs: number, tie: number): void {
    this.#heap.move(slot, atUs, tie)
  }

  /** Takes a slot out of the queue before its time; false when it was not in it. */
  unschedule(slot: number): boolean {
    return this.#heap.remove(slot)
  }

  isScheduled(slot: number): boolean {
    return this.#heap.has(slot)
  }

  /** The next slot; the caller must release or keep it. */
  pop(): number {
    return this.#heap.pop()
  }
}
