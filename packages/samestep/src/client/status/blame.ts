import type { MatchConfig } from '../../wire/messages/match-config.ts'
import type { MatchStats, RoomView, SeatStats } from './room-view.ts'

/** Whom a match is waiting for, or what makes it slower than its players want (DIS-11). */
export interface Blame {
  /**
   * `loading`: the match starts when these seats have loaded. `inputs`: the next tick waits for their
   * inputs. `machines`: the match runs slower because their machines cannot keep up. `lines`: it runs
   * slower because their inputs arrive late. `relay`: it runs slower to leave time for the other matches of
   * its relay.
   */
  readonly cause: 'nobody' | 'loading' | 'inputs' | 'machines' | 'lines' | 'relay'
  /** The seats that cause it, worst first. */
  readonly seats: readonly number[]
}

/** All is well. */
export const nobody: Blame = Object.freeze({ cause: 'nobody', seats: Object.freeze([]) })

type Rules = Pick<MatchConfig, 'lagMode' | 'lagStretch'>

/** Who is to blame now, by what the relay last said. */
export function blameOf(
  room: RoomView | undefined,
  stats: MatchStats | undefined,
  rules: Rules | undefined,
): Blame {
  if (room?.phase === 'loading') return of('loading', stillLoading(room))
  if (room?.phase !== 'running') return nobody
  if (room.waitingFor.length > 0) return of('inputs', room.waitingFor)
  if (stats === undefined || rules === undefined) return nobody
  const { effectivePercent, requestedPercent, seats } = stats
  if (effectivePercent >= requestedPercent) return nobody
  const loaded = overloaded(seats, rules.lagMode, requestedPercent)
  if (loaded.length > 0) return of('machines', loaded)
  if (rules.lagStretch) return of('lines', late(seats))
  return rules.lagMode === 'off' ? of('relay', []) : of('machines', most(seats, loadOf))
}

/** Whether two say the same. */
export function isSameBlame(one: Blame, other: Blame): boolean {
  return one.cause === other.cause && one.seats.join() === other.seats.join()
}

function of(cause: Blame['cause'], seats: readonly number[]): Blame {
  const isEmpty = seats.length === 0 && cause !== 'relay'
  return isEmpty ? nobody : { cause, seats }
}

function stillLoading({ members }: RoomView): number[] {
  return members
    .filter(({ role, loadProgress }) => role === 'player' && loadProgress < 100)
    .sort((one, other) => one.loadProgress - other.loadProgress)
    .flatMap(({ seat }) => (seat === undefined ? [] : [seat]))
}

const loadOf = ({ loadPercent }: SeatStats) => loadPercent

/** The share of its time that a machine may use, by who counts: as lag protection aims for. */
const targetPercents = { off: Number.POSITIVE_INFINITY, median: 60, maximum: 75 } as const

/** Loads are shares of the time at normal speed. */
function overloaded(
  seats: readonly SeatStats[],
  mode: MatchConfig['lagMode'],
  requestedPercent: number,
): number[] {
  return seats
    .filter(({ loadPercent }) => (loadPercent * requestedPercent) / 100 > targetPercents[mode])
    .sort((one, other) => other.loadPercent - one.loadPercent)
    .map(({ seat }) => seat)
}

function late(seats: readonly SeatStats[]): number[] {
  const known = seats.filter(({ marginMs }) => marginMs !== undefined)
  const behind = known.filter((each) => marginOf(each) < 0)
  if (behind.length === 0) return most(known, (each) => -marginOf(each))
  return behind.sort((one, other) => marginOf(one) - marginOf(other)).map(({ seat }) => seat)
}

const marginOf = ({ marginMs = 0 }: SeatStats) => marginMs

/** The one seat of which there is the most. */
function most(seats: readonly SeatStats[], measure: (stats: SeatStats) => number): number[] {
  const [first] = [...seats].sort((one, other) => measure(other) - measure(one))
  return first === undefined ? [] : [first.seat]
}
