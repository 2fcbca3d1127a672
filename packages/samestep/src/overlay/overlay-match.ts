import type { ClientStatus } from '../client/status/client-status.ts'
import type { PlayState } from '../client/status/play-state.ts'
import type { RoomView } from '../client/status/room-view.ts'
import type { ClientStatistics } from '../client/status/statistics.ts'
import type { MatchEvents } from '../driver/match/match.ts'
import type { SyncHash } from '../sim/hash/tree.ts'
import type { Conditioner } from '../transport/conditioner/conditioner.ts'

/** The part of a match that the overlay reads. Every match of every game has it. */
export interface OverlayMatch {
  readonly status: ClientStatus
  readonly seat: number | undefined
  readonly room: RoomView | undefined
  readonly transport: string | undefined
  readonly statistics: ClientStatistics
  readonly simulation: OverlaySimulation
  playState(): PlayState
  on<K extends keyof MatchEvents>(type: K, listener: (event: MatchEvents[K]) => void): () => void
}

/** What the overlay reads of a simulation. */
export interface OverlaySimulation {
  readonly matchTick: number
  readonly seats: number
  syncHashAt(tick: number): SyncHash | undefined
}

/** What the sliders change: a `Conditioner`, or an object that forwards the calls to one in a worker. */
export type OverlayLine = Pick<Conditioner, 'set' | 'reset' | 'breakConnections' | 'sending'>

/** A member with a seat. */
export type Player = RoomView['members'][number] & { readonly seat: number }

/** The players of a room, by seat. */
export function playersOf(room: RoomView | undefined): Player[] {
  return (room?.members ?? [])
    .filter((member): member is Player => member.role === 'player' && member.seat !== undefined)
    .sort((one, other) => one.seat - other.seat)
}

/** The simulation, or `undefined` in a lobby, where there is none and `match.simulation` throws. */
export function simulationOf(match: OverlayMatch): OverlaySimulation | undefined {
  try {
    return match.simulation
  } catch {
    return undefined
  }
}
