/**
 * The traffic of one lane of a channel in both directions, without packet headers. The numbers only grow.
 */
export interface LaneStats {
  readonly messagesSent: number
  readonly bytesSent: number
  readonly messagesReceived: number
  readonly bytesReceived: number
  /** Pieces of messages that were lost and sent again. Ticks are never sent again. */
  readonly resent: number
  /** Messages that arrived after newer ones. Only ticks do, and only on datagrams. */
  readonly overtaken: number
}

/** The traffic of each lane of a channel. */
export interface LanesStats {
  readonly tick: LaneStats
  readonly control: LaneStats
  readonly bulk: LaneStats
}

/** One lane's numbers, for its channel to write. */
export class LaneCounters implements LaneStats {
  messagesSent = 0
  bytesSent = 0
  messagesReceived = 0
  bytesReceived = 0
  resent = 0
  overtaken = 0

  noteSent(bytes: number): void {
    this.messagesSent += 1
    this.bytesSent += bytes
  }

  noteReceived(bytes: number): void {
    this.messagesReceived += 1
    this.bytesReceived += bytes
  }
}

/** The numbers of all lanes, for their channel to write. */
export class LanesCounters implements LanesStats {
  readonly tick = new LaneCounters()
  readonly control = new LaneCounters()
  readonly bulk = new LaneCounters()
}

/** The sums of two, lane by lane. */
export function addLanes(a: LanesStats, b: LanesStats): LanesStats {
  return {
    tick: addLane(a.tick, b.tick),
    control: addLane(a.control, b.control),
    bulk: addLane(a.bulk, b.bulk),
  }
}

function addLane(a: LaneStats, b: LaneStats): LaneStats {
  return {
    messagesSent: a.messagesSent + b.messagesSent,
    bytesSent: a.bytesSent + b.bytesSent,
    messagesReceived: a.messagesReceived + b.messagesReceived,
    bytesReceived: a.bytesReceived + b.bytesReceived,
    resent: a.resent + b.resent,
    overtaken: a.overtaken + b.overtaken,
  }
}

const nothing: LaneStats = {
  messagesSent: 0,
  bytesSent: 0,
  messagesReceived: 0,
  bytesReceived: 0,
  resent: 0,
  overtaken: 0,
}

/** Lanes over which nothing went. */
export const noLanes: LanesStats = { tick: nothing, control: nothing, bulk: nothing }
