/**
 * Desyncs on purpose (F-26): one client flips a field before it runs a tick, and from then on its state
 * is another. What must become of it is I-09, both halves:
 *
 *     sound      nobody honest is told apart from anybody honest, and no tick before the flip is named
 *     complete   everybody is told of the flip: soon where the weather is fine, in the end in any weather
 */

import type { Client } from '../../client/client.ts'
import { culpritsOf } from '../../desync/verdict.ts'
import type { Match } from '../../relay/match/match.ts'
import type { MatchEvent } from '../../relay/match/match-types.ts'
import type { World } from '../engine/world.ts'
import type { Flip } from '../plan/storm-knobs.ts'

type Mismatch = Extract<MatchEvent, { type: 'hash-mismatch' }>
type Found = Extract<MatchEvent, { type: 'desync-found' }>

/** What has to be known of an honest client. */
export interface FlipClient {
  readonly plan: { readonly name: string }
  readonly client: Client
  readonly closedReason: string | undefined
  readonly hasLeft: boolean
  /** Since when it has the state of the match, in the world's time. */
  readonly playsSinceMs: number
}

/** Flips a field as planned, and checks what is told about it. */
export class DesyncBook {
  readonly #world: World
  readonly #flip: Flip | undefined
  readonly #isHonest: (name: string) => boolean
  /** When the field was flipped, in the world's time. */
  flippedAtMs = Number.POSITIVE_INFINITY
  /** Who got the state of whoever flipped it. */
  readonly #infected = new Set<string>()
  /** When the relay first told that the one who flipped it differs from somebody honest. */
  #toldAtMs = Number.POSITIVE_INFINITY
  /** Those who were given a state of after the flip: they never ran the tick that differs. */
  readonly #skipped = new Set<string>()

  constructor(world: World, flip: Flip | undefined, isHonest: (name: string) => boolean) {
    this.#world = world
    this.#flip = flip
    this.#isHonest = isHonest
  }

  /** Whether a client's state is another than everybody's. */
  isFlipped(name: string): boolean {
    if (this.#infected.has(name)) return true
    return name === this.#flip?.client && this.flippedAtMs < Number.POSITIVE_INFINITY
  }

  /** Whether somebody is out of step by now. */
  get isOn(): boolean {
    return this.flippedAtMs < Number.POSITIVE_INFINITY
  }

  /** Somebody was given the state after a tick, perhaps that of whoever is out of step. */
  noteRestored(name: string, tick: number, isFlipped: boolean): void {
    if (isFlipped) this.#infected.add(name)
    if (this.isOn && tick >= (this.#flip?.tick ?? 0)) this.#skipped.add(name)
  }

  get #isTold(): boolean {
    return this.#toldAtMs < Number.POSITIVE_INFINITY
  }

  /** A client is about to run a tick. */
  noteRunning({ plan, client }: FlipClient, tick: number): void {
    const flip = this.#flip
    const isBack = flip?.isBrief === true && this.isFlipped(plan.name) && tick === flip.tick + 1
    const isDue = plan.name === flip?.client && tick === flip.tick
    if (!isDue && !isBack) return
    if (!flipField(client.simulation) || isBack) return
    this.flippedAtMs = this.#world.nowMs
    this.#world.sometimes('a field was flipped')
  }

  /** The relay says that machines differ. */
  noteMismatch(event: Mismatch, { sessions }: Match): void {
    const world = this.#world
    const nameOf = new Map([...sessions].map(({ seat, name }) => [seat, name]))
    const isSound = (seat: number) => {
      const name = nameOf.get(seat)
      return name !== undefined && this.#isHonest(name) && !this.isFlipped(name)
    }
    const sound = event.groups.filter((seats) => seats.some(isSound))
    if (event.spectator !== undefined) {
      const watcher = [...sessions].find(({ member }) => member.id === event.spectator)?.name ?? ''
      world.always('I-09', this.isFlipped(watcher) || sound.length === 0, () => {
        return `${watcher}, who only watches and is in step, is told that he is not`
      })
      return
    }
    const shown = () => `after tick ${event.agreedTick}, at ${event.tick}: ${show(event.groups)}`
    world.always('I-09', sound.length < 2, () => `Players in step are told apart ${shown()}`)
    const blamed = culpritsOf(event.verdict)
    world.always('I-09', !blamed.some(isSound), () => `A player in step is blamed ${shown()}`)
    world.sometimes('somebody was blamed for a desync', blamed.length > 0)
    const apart = event.groups.filter((seats) => !seats.some(isSound)).flat()
    const isFlip = (seat: number) => this.isFlipped(nameOf.get(seat) ?? '')
    // A liar goes apart whenever it likes.
    if (apart.every(isFlip)) {
      const { tick } = this.#flip as Flip
      const isWithin = event.tick >= tick && (event.agreedTick ?? -1) < tick
      world.always('I-09', isWithin, () => `Flipped at tick ${tick}, told ${shown()}`)
    }
    if (sound.length > 0 && apart.some(isFlip)) {
      this.#toldAtMs = Math.min(this.#toldAtMs, world.nowMs)
    }
    world.sometimes('a desync was told', this.#isTold)
    world.sometimes('a liar about hashes was told apart', !apart.every(isFlip))
  }

  /** Something is known of how two groups went apart: of a flip, all of it must be right. */
  noteFound({ finding, seats }: Found, { sessions }: Match): void {
    const world = this.#world
    const nameOf = new Map([...sessions].map(({ seat, name }) => [seat, name]))
    const isFlip = (seat: number) => this.isFlipped(nameOf.get(seat) ?? '')
    const isSound = (seat: number) => {
      const name = nameOf.get(seat)
      return name !== undefined && this.#isHonest(name) && !this.isFlipped(name)
    }
    const flipped = seats.findIndex((group) => group.every(isFlip))
    // A liar says whatever it likes.
    if (flipped < 0 || !seats[(1 - flipped) as 0 | 1].every(isSound)) return
    const shown = () => JSON.stringify({ flip: this.#flip, finding })
    const { tick, isExact, leaves, reruns, stage } = finding
    const flipTick = (this.#flip as Flip).tick
    world.always('I-09', !isExact || tick === flipTick, () => `Another tick: ${shown()}`)
    const isLeaf = leaves.length === 0 || leaves.some((label) => flippedLeaves.has(label))
    world.always('I-09', !isExact || isLeaf, () => `Another place: ${shown()}`)
    const isOwn = reruns[flipped as 0 | 1]?.isSame === true
    // A tick long after the flip gives the same again: the flip is in the state that it starts from.
    world.always(
      'I-09',
      !isOwn || !isExact,
      () => `A flip is said to come from the code: ${shown()}`,
    )
    const isTrue = reruns[(1 - flipped) as 0 | 1]?.isSame !== false
    world.always('I-09', isTrue, () => `Somebody sound was changed: ${shown()}`)
    world.sometimes('a flip was located', finding.place !== undefined)
    world.sometimes('a flip was traced', stage === 'traced' && finding.areWritesSame)
  }

  /** In fine weather a flip is told within this time. */
  checkSoon(clients: readonly FlipClient[]): void {
    if (this.#world.nowMs - this.flippedAtMs < soonMs || !this.#isComparable(clients)) return
    this.#world.always('I-09', this.#isTold, () => `A flip was not told within ${soonMs} ms`)
  }

  /** After the quiet everybody knows. */
  checkQuiet(clients: readonly FlipClient[], hasStrangers: boolean): void {
    const flipped = clients.find(({ plan }) => plan.name === this.#flip?.client)
    if (!this.isOn || flipped === undefined || !isThere(flipped)) return
    const { seat } = flipped.client
    if (seat === undefined) {
      // Strangers in seats report nothing, and then a spectator cannot tell.
      const isAlone = !clients.some(isPlaying)
      const isTold = flipped.client.statistics.desync?.isSpectator === true
      this.#world.sometimes('a spectator was told that he differs', isTold)
      this.#world.always('I-09', isTold || isAlone || hasStrangers, 'A watcher was not told')
      return
    }
    if (!this.#isComparable(clients)) return
    this.#world.always('I-09', this.#isTold, 'A flip was never told')
    for (const { client, plan, playsSinceMs } of clients.filter((actor) => isPlaying(actor))) {
      // Who came later has the state of most, or is told apart anew.
      if (playsSinceMs > this.#toldAtMs) continue
      const { groups = [] } = client.statistics.desync ?? {}
      this.#world.always('I-09', groups.flat().includes(seat), () => {
        return `${plan.name} was not told of the flip`
      })
    }
  }

  /** Whether the one who flipped a field plays, and somebody else who ran the same tick. */
  #isComparable(clients: readonly FlipClient[]): boolean {
    const players = clients.filter(isPlaying).filter(({ plan }) => !this.#skipped.has(plan.name))
    return players.length > 1 && players.some(({ plan }) => plan.name === this.#flip?.client)
  }
}

function isPlaying(actor: FlipClient): boolean {
  return actor.client.seat !== undefined && isThere(actor)
}

function isThere({ closedReason, hasLeft }: FlipClient): boolean {
  return closedReason === undefined && !hasLeft
}

function show(groups: readonly (readonly number[])[]): string {
  return groups.map((seats) => `[${seats}]`).join(' ')
}

/**
 * A field that no step makes good again, of the games that storms play by themselves. A developer's
 * game may have parts of the same names, and is left alone.
 */
function flipField(simulation: Client['simulation']): boolean {
  const { chain, sum } = (simulation?.state ?? {}) as {
    chain?: { order?: number }
    sum?: { orders?: number }
  }
  if (simulation === undefined) return false
  if (typeof chain?.order === 'number') {
    simulation.disturb(() => {
      chain.order = ((chain.order as number) ^ 1) >>> 0
    })
  } else if (typeof sum?.orders === 'number') {
    simulation.disturb(() => {
      sum.orders = ((sum.orders as number) ^ 1) >>> 0
    })
  } else return false
  return true
}

/** Where that field is. */
const flippedLeaves: ReadonlySet<string> = new Set(['chain/order/0', 'sum/orders/0'])

/**
 * From running the tick to being told: a second of patience for who has not reported, a tick in common
 * of groups of up to four, and two ways.
 */
const soonMs = 2_500
