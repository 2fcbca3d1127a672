import type { DatagramChannel } from '../datagram/datagram-channel.ts'
import type { End, LinkWorld } from './link-world.ts'
import { numbered } from './pair.ts'

/** The lanes that promise to deliver. */
export type ReliableLane = 'control' | 'bulk'

const reliableLanes: readonly ReliableLane[] = ['control', 'bulk']
const ends: readonly End[] = ['a', 'b']

/** What one end does in each step of a while. */
export interface Habits {
  /** Bytes of a control message, or 0 for none. */
  readonly control: number
  readonly bulk: number
  readonly tick: number
}

/**
 * Lets both ends talk, and compares what arrives with a perfect queue: at any time it must be a
 * prefix of what was sent, byte for byte; in the end all of it.
 */
export class Traffic {
  readonly #world: LinkWorld<DatagramChannel>
  readonly #sent = {
    a: { control: [] as Uint8Array[], bulk: [] as Uint8Array[] },
    b: { control: [] as Uint8Array[], bulk: [] as Uint8Array[] },
  }
  /** How many received messages of each end were compared already, and how many of each lane. */
  readonly #checked = {
    a: { all: 0, control: 0, bulk: 0 },
    b: { all: 0, control: 0, bulk: 0 },
  }
  #ticks = 0
  /** Bulk messages that were refused because the lane was full. */
  refusals = 0

  constructor(world: LinkWorld<DatagramChannel>) {
    this.#world = world
    world.onStep = () => this.check()
  }

  /** Sends what the habits say, from one end, now. */
  send(from: End, habits: Habits): void {
    this.#world.act(from, (channel, nowMs) => {
      const { control, bulk } = this.#sent[from]
      if (habits.control > 0) {
        const message = numbered(control.length, habits.control)
        channel.sendControl(message, nowMs)
        control.push(message)
      }
      if (habits.bulk > 0) {
        const message = numbered(bulk.length, habits.bulk)
        if (channel.sendBulk(message, nowMs)) bulk.push(message)
        else this.refusals++
      }
      if (habits.tick > 0) channel.sendTick(numbered(this.#ticks++, habits.tick), nowMs)
    })
  }

  /** Whether everything arrived. */
  get isDone(): boolean {
    return ends.every((to) => {
      const from = to === 'a' ? 'b' : 'a'
      return reliableLanes.every(
        (lane) => this.#checked[to][lane] === this.#sent[from][lane].length,
      )
    })
  }

  /** How many messages were sent, how many of them arrived. */
  get summary(): string {
    const parts = ends.flatMap((to) => {
      const from = to === 'a' ? 'b' : 'a'
      return reliableLanes.map(
        (lane) => `${from} ${lane}: ${this.#checked[to][lane]} of ${this.#sent[from][lane].length}`,
      )
    })
    return parts.join(', ')
  }

  /** Drops the messages that were compared, so that a long world stays small. */
  forgetReceived(): void {
    this.check()
    for (const end of ends) {
      this.#world.received[end].length = 0
      this.#checked[end].all = 0
    }
  }

  /** Compares what arrived since the last call; asks both channels whether their books balance. */
  check(): void {
    for (const end of ends) {
      const checked = this.#checked[end]
      const received = this.#world.received[end]
      for (; checked.all < received.length; checked.all++) {
        const message = received[checked.all]!
        if (message.lane === 'tick' || message.lane === 'late') continue
        const expected = this.#sent[end === 'a' ? 'b' : 'a'][message.lane][checked[message.lane]++]
        if (expected !== undefined && Buffer.compare(expected, message.bytes) === 0) continue
        throw new Error(`${end} received a ${message.lane} message that was not next`)
      }
      checkBooks(this.#world.channels[end])
    }
  }
}

/** Sent packets are acknowledged, lost or in flight, and memory is within its bounds. */
export function checkBooks(channel: DatagramChannel): void {
  const { packetsSent, packetsAcked, packetsLost, packetsInFlight } = channel.stats
  if (packetsSent !== packetsAcked + packetsLost + packetsInFlight) {
    throw new Error(`${packetsSent} ≠ ${packetsAcked} + ${packetsLost} + ${packetsInFlight}`)
  }
  if (channel.heldBytes > heldBytesLimit) throw new Error(`Holds ${channel.heldBytes} bytes`)
}

/** Two queues for sending, the reassembly, the inbox and what one packet may put on top of it. */
export const heldBytesLimit = 2 * 131_072 + 262_144 + 131_072 + 131_072
