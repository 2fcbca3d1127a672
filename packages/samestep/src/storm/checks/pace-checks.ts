/** What the pace of ticks is held against that a relay chooses for single clients. */
import type { Match } from '../../relay/match/match.ts'
import type { Session } from '../../relay/match/session.ts'
import { datagramBundleBytesMax } from '../../wire/limits.ts'
import type { World } from '../engine/world.ts'

/**
 * A sealed tick is on its way to everybody at once, and where ticks wait for each other at the latest
 * 100 ms after its seal (I-25). Looked at after everything that the relay does; the times are the world's.
 */
export class FlushCheck {
  readonly #world: World
  /** By tick modulo the ring: when it was sealed. */
  readonly #sealedAtMs = new Float64Array(ringTicks)
  readonly #watched = new WeakMap<Session, Watched>()

  constructor(world: World) {
    this.#world = world
  }

  noteSealed(tick: number): void {
    this.#sealedAtMs[tick % ringTicks] = this.#world.nowMs
  }

  check({ log, sessions }: Match): void {
    const { sealedTick } = log
    for (const session of sessions) {
      const { name, link, sentTick, ackedTick, ticksPerPacket } = session
      // Who sees the match later gets each tick later, by rule; who waits for a state gets none before.
      if (session.isDelayed || session.isWaitingForState) {
        this.#watched.delete(session)
        continue
      }
      const watched = this.#watch(session, sealedTick)
      this.#world.sometimes('ticks shared a packet', ticksPerPacket > 1)
      // Who is further behind gets the rest when he has confirmed some, or the state first.
      const lacksState = ackedTick + 1 < log.firstTick
      if (lacksState || sealedTick > log.lastFor(ackedTick)) watched.isBehind = true
      else if (sentTick === sealedTick) watched.isBehind = false
      const tick = sentTick + 1
      if (link < 0 || watched.isBehind || tick > sealedTick) continue
      // What fills many packets goes out over several ticks, also if some of it is confirmed meanwhile.
      if (!fitsPacket(log, ackedTick + 1)) {
        watched.fromTick = sealedTick
        continue
      }
      const dueTick = Math.max(tick, watched.fromTick + 1)
      if (dueTick > sealedTick) continue
      const waitedMs = this.#world.nowMs - (this.#sealedAtMs[dueTick % ringTicks] as number)
      const mostMs = (ticksPerPacket > 1 ? flushMs : 0) + slackMs
      this.#world.always('I-25', waitedMs <= mostMs, () => {
        return `Tick ${tick} waits since ${Math.round(waitedMs)} ms to be sent to ${name}`
      })
    }
  }

  /** What was sealed before a link was there goes out with the next tick, whenever that comes. */
  #watch(session: Session, sealedTick: number): Watched {
    const known = this.#watched.get(session)
    if (known?.link === session.link) return known
    const fresh = { link: session.link, fromTick: sealedTick, isBehind: false }
    this.#watched.set(session, fresh)
    return fresh
  }
}

/**
 * What is known of one session: its link, the tick up to which ticks go out with the first one after it,
 * and whether it is behind.
 */
type Watched = { readonly link: number; fromTick: number; isBehind: boolean }

function fitsPacket(log: Match['log'], firstTick: number): boolean {
  let bytes = 0
  for (let tick = Math.max(firstTick, log.firstTick); tick <= log.sealedTick; tick++) {
    // Up to three bytes tell the length of each.
    bytes += log.at(tick).byteLength + 3
  }
  return bytes <= datagramBundleBytesMax
}

/** More than a client may be behind. */
const ringTicks = 4_096

/** The longest that a tick may wait for others. */
const flushMs = 100

/** A clock that drifts, and a wake-up in whole milliseconds. */
const slackMs = 5

/**
 * A match goes at the speed that was asked for; where it waits for inputs, at a tenth less at the most
 * (I-26). Lag protection by load has bounds of its own.
 */
export function checkStretch(world: World, { config, room }: Match): void {
  if (config.lagMode !== 'off') return
  const { requestedPercent, effectivePercent } = room.pace
  const isStretched = config.lagStretch && effectivePercent !== requestedPercent
  world.sometimes('ticks were stretched', isStretched)
  const least = config.lagStretch ? requestedPercent / 1.1 - roundingPercent : requestedPercent
  const isWithin = effectivePercent <= requestedPercent && effectivePercent >= least
  world.always('I-26', isWithin, () => {
    return `The match goes at ${effectivePercent} % where ${requestedPercent} were asked for`
  })
}

/** Speeds are whole percents. */
const roundingPercent = 1e-6

/** For how long a client really holds its inputs back, in the world's time. */
export class HoldBook {
  readonly #world: World
  /** The last ones, in a ring. */
  readonly #holdsMs = new Float64Array(holdsKept)
  #holds = 0
  #arrivedAtMs = Number.NaN
  #madeAtMs = Number.NEGATIVE_INFINITY
  #untold = 0
  /** The newest tick that an input was made for. */
  newestTick = 0

  constructor(world: World) {
    this.#world = world
  }

  /** New ticks came: they call for inputs. */
  noteArrival(): void {
    this.#arrivedAtMs = this.#world.nowMs
  }

  noteInput(tick: number): void {
    this.newestTick = tick
    this.#madeAtMs = this.#world.nowMs
    this.#holdsMs[this.#holds % holdsKept] = this.#world.nowMs - this.#arrivedAtMs
    this.#holds += 1
  }

  /** How long each of the last inputs was held back at the least. */
  get leastMs(): number {
    return this.#holds < holdsKept ? 0 : Math.min(...this.#holdsMs)
  }

  /** Who holds inputs back says so (I-29): otherwise they pass for late ones. */
  check({ name, guard, newestInputTick }: Session): void {
    // After an outage, what was made before it comes again, without its hold.
    const isPlaying = this.#world.nowMs - this.#madeAtMs < playingMs
    const isCurrent = isPlaying && newestInputTick > this.newestTick - holdsKept
    const isHeld = isCurrent && this.leastMs >= heldMsMin
    this.#world.sometimes('inputs were held back', isHeld)
    const isTold = !isHeld || guard.heldMs >= heldMsMin / 2
    // An input that was lost comes again with the next turn, which says how long that one waited.
    this.#untold = isTold ? 0 : this.#untold + 1
    this.#world.always('I-29', this.#untold < untoldMax, () => {
      return `${name} holds inputs back for ${this.leastMs.toFixed(1)} ms and says ${guard.heldMs}`
    })
  }
}

/** Two thirds of a second: holds grow by two ms per second. */
const holdsKept = 20

/** Looks in a row at which a hold was not told. */
const untoldMax = 3

/** Inputs are made several times in that time, unless the line is down. */
const playingMs = 500

/** Shorter holds may be told as none. */
const heldMsMin = 6
