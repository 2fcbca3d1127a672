/** Who does the relaying behind the port: this process, or several others. */

import type { IncomingMessage } from 'node:http'
import type { Duplex } from 'node:stream'
import type { Logger } from 'pino'
import type { Conditioner } from '../../transport/conditioner/conditioner.ts'
import { restMsDefault } from '../../transport/node/turbo/packet-rest.ts'
import type { Doors } from '../../wire/messages/doors.ts'
import type { Authorize } from '../authorize.ts'
import type { ConnectionRoom } from '../file-limit.ts'
import type { NewMatch } from '../new-match.ts'
import type { CoreNumbers } from '../relay-core.ts'
import type {
  MatchSummary,
  RelayServerOptions,
  RelayStatus,
  WorkerStatus,
} from '../relay-server.ts'

/** What every crew is made with. */
export interface CrewOptions {
  readonly options: RelayServerOptions
  readonly log: Logger
  /** Decides who may join; everybody may when left out. */
  readonly authorize: Authorize | undefined
  /** Where the front listens. */
  readonly host: string
  readonly port: number
  /** How many connections there may be. */
  readonly room: ConnectionRoom
}

/** What a crew has, in numbers. */
export interface CrewNumbers extends CoreNumbers {
  readonly refused: Readonly<Record<string, number>>
  readonly restarts: number
  /** How often a port did not work as it should. */
  readonly troubles: number
  readonly workers?: readonly WorkerStatus[]
}

/** What everybody may know of a journal. */
export function journalStatus({ journal }: CrewNumbers): RelayStatus['journal'] {
  if (journal === undefined) return 'off'
  return journal.state === 'failing' ? 'failing' : 'ok'
}

/** A transport beside the WebSocket. */
export interface CrewListener {
  readonly transport: 'udp' | 'webrtc'
  readonly url: string
  /** What players are told of it. */
  readonly door: Partial<Doors>
  close(): Promise<void>
}

/** One process or several, behind the port. */
export interface Crew {
  readonly listeners: readonly CrewListener[]
  readonly notices: readonly string[]
  readonly conditioner: Conditioner | undefined
  handleUpgrade(request: IncomingMessage, socket: Duplex, head: Buffer): void
  numbers(): Promise<CrewNumbers>
  summaries(): Promise<readonly MatchSummary[]>
  /** Lets a paused match go on, or ends one. False when it cannot. */
  decide(match: string, decision: 'resume' | 'end'): Promise<boolean>
  kick(match: string, seat: number): Promise<boolean>
  /** Seals an order as the relay's own. False when it is not taken. */
  order(match: string, bytes: Uint8Array): Promise<boolean>
  /** Makes a match. Gives why it cannot be made. */
  createMatch(match: NewMatch): Promise<string | undefined>
  noteFault(error: unknown, remote?: string): void
  /** Tells everybody, and ends. */
  stop(): Promise<void>
}

/** How long packets may gather. A thread rests only where that was asked for, or turbo was. */
export function gatherMsOf({ gatherMs, turbo }: RelayServerOptions): number {
  return gatherMs ?? (turbo === true ? restMsDefault : 0)
}

/** Whether somebody may make a match; `permission` is what was said when it was authorized. */
export function mayCreateBy(
  who: RelayServerOptions['createMatches'],
  permission: boolean | undefined,
): boolean {
  return who === 'token' ? permission === true : who !== 'nobody' && permission !== false
}

/** Connections of one address, unless somebody says otherwise: a school behind one router. */
export const connectionsPerAddressDefault = 256
