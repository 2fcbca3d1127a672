/**
 * Desyncs on purpose (F-26): one client flips a field before it runs a tick, and from then on its state
 * is another. What must become of it is I-09, both halves:
 *
 *     sound      nobody honest is told apart from anybody honest, and no tick before the flip is named
 *     complete   everybody is told of the flip: soon where the weather is fine, in the end in any weather
 */

import type { Client } from '../../client/client.ts'
import { culpritsOf } from '../../desync/verdict.ts'
import { patienceMsMax, settleTicks } from '../../relay/match/hashes/desync-patience.ts'
import type { MatchEvent } from '../../relay/match/match-types.ts'
import type { Session } from '../../relay/match/session.ts'
import type { MatchConfig } from '../../wire/messages/match-config.ts'
import type { World } from '../engine/world.ts'
import type { Flip } from '../plan/desync-knobs.ts'
import type { StormKnobs } from '../plan/storm-knobs.ts'
import { flipField, flippedLeaves } from './flip-field.ts'

type Mismatch = Extract<MatchEvent, { type: 'hash-mismatch' }>
type Found = Extract<MatchEvent, { type: 'desync-found' }>
/** Of everybody who was in the match at that event. */
type Sessions = readonly Session[]

/** What is counted when the state of a machine is changed on purpose. */
export const injectedId = 'a desync was injected'

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
  readonly #policy: MatchConfig['desync']
  /** Whether honest players resume what stands still. */
  readonly #mayResume: boolean
  /** Whether spectators see the match later than it happens. */
  readonly #isDelayed: boolean
  readonly #isHonest: (name: string) => boolean
  /** What all players were told last. */
  #toldGroups: Mismatch['groups'] = []
  /** When the field was flipped, in the world's time. */
  flippedAtMs = Number.POSITIVE_INFINITY
  /** Who got the state of whoever flipped it. */
  readonly #infected = new Set<string>()
  /** When the relay first told that the one who flipped it differs from somebody honest. */
  #toldAtMs = Number.POSITIVE_INFINITY
  /** Those who were given a state of after the flip: they never ran the tick that differs. */
  readonly #skipped = new Set<string>()
  /** The first tick after which the one who goes its own way has another state, since it has one. */
  #apartTick = Number.POSITIVE_INFINITY
  /** Whether the tick has come from which on it does. */
  #isOdd = false
  /** Since when the relay blames it; `Infinity` while it does not. */
  #blamedAtMs = Number.POSITIVE_INFINITY
  /** Whether it has been given the state of the others, and flips it once more. */
  #isHealed = false
  #isDueAgain = false
  /** How often everybody was told, and the match stopped for it. */
  #toldCount = 0
  #haltCount = 0

  constructor(
    world: World,
    {
      flip,
      desync,
      hasWishes,
      spectatorDelayMs,
    }: Pick<StormKnobs, 'flip' | 'desync' | 'hasWishes' | 'spectatorDelayMs'>,
    isHonest: (name: string) => boolean,
  ) {
    this.#world = world
    this.#flip = flip ?? undefined
    this.#policy = desync
    this.#mayResume = hasWishes
    this.#isDelayed = spectatorDelayMs > 0
    this.#isHonest = isHonest
  }

  /** Whether a client's state is another than everybody's. */
  isFlipped(name: string): boolean {
    if (this.#infected.has(name)) return true
    return name === this.#flip?.client && this.#isOdd
  }

  /** Whether it is whoever goes its own way in this plan, perhaps no longer. */
  isPatient(name: string): boolean {
    return name === this.#flip?.client && this.isOn
  }

  /** Whether somebody is out of step by now. */
  get isOn(): boolean {
    return this.flippedAtMs < Number.POSITIVE_INFINITY
  }

  /** Somebody was given the state after a tick, perhaps that of whoever is out of step. */
  noteRestored(name: string, tick: number, isFlipped: boolean): void {
    if (isFlipped) this.#infected.add(name)
    else if (this.isFlipped(name)) this.#noteHealed(name)
    if (this.isOn && tick >= (this.#flip?.tick ?? 0)) this.#skipped.add(name)
  }

  /** Whoever was out of step has the state of the others: from here on it is held to it as anybody is. */
  #noteHealed(name: string): void {
    this.#infected.delete(name)
    if (name !== this.#flip?.client) return
    this.#isOdd = false
    this.#isHealed = true
    this.#blamedAtMs = Number.POSITIVE_INFINITY
    this.#apartTick = Number.POSITIVE_INFINITY
    this.#world.sometimes('a desync was healed')
    // Once, or it would be sent away in the end.
    this.#isDueAgain = this.#flip.kind === 'restore' && this.#restores === 0
    if (this.#isDueAgain) this.#restores += 1
  }

  #restores = 0

  /** After a tick whoever goes its own way has another state than the others. */
  noteApart(tick: number): void {
    if (!this.#isOdd || tick >= this.#apartTick) return
    const isFirst = this.#apartTick === Number.POSITIVE_INFINITY
    this.#apartTick = tick
    if (!isFirst) return
    this.#world.sometimes(injectedId)
    this.#world.sometimes(`${injectedId}: ${this.#flip?.kind ?? 'flip'}`)
    if (this.#isQuirk) this.flippedAtMs = Math.min(this.flippedAtMs, this.#world.nowMs)
  }

  /** Whether it is the code of one machine that is another. */
  get #isQuirk(): boolean {
    return this.#flip?.kind === 'draw' || this.#flip?.kind === 'reorder'
  }

  /** The match stops for a desync. */
  noteHalted(): void {
    this.#haltCount += 1
    this.#world.sometimes('a match was halted')
  }

  /** The relay heals somebody. Who comes back with the state of the others was not: it only returned. */
  noteResync(): void {
    this.#world.always('I-09', this.#policy === 'resync', 'Healed without being asked')
  }

  get #isTold(): boolean {
    return this.#toldAtMs < Number.POSITIVE_INFINITY
  }

  /** A client is about to run a tick. */
  noteRunning({ plan, client }: FlipClient, tick: number): void {
    const flip = this.#flip
    const isBack = flip?.isBrief === true && this.isFlipped(plan.name) && tick === flip.tick + 1
    const isDue = plan.name === flip?.client && (tick === flip.tick || this.#isDueAgain)
    if (!isDue && !isBack) return
    if (isDue && this.#isQuirk) {
      this.#isOdd = true
      return
    }
    if (!flipField(client.simulation) || isBack) return
    this.#isOdd = true
    this.#isDueAgain = false
    this.flippedAtMs = this.#world.nowMs
    this.#toldAtMs = Number.POSITIVE_INFINITY
    this.#world.sometimes('a field was flipped')
  }

  /**
   * The relay says that machines differ, in a match with these sessions. `isOnLine` says whose link it
   * still had then: this is heard when it has done all that was due.
   */
  noteMismatch(event: Mismatch, sessions: Sessions, isOnLine: (name: string) => boolean): void {
    const world = this.#world
    const nameOf = new Map(sessions.map(({ seat, name }) => [seat, name]))
    const givenTickOf = new Map(sessions.map(({ seat, givenTick }) => [seat, givenTick]))
    const isSound = (seat: number) => {
      const name = nameOf.get(seat)
      if (name === undefined || !this.#isHonest(name) || this.isFlipped(name)) return false
      // After a brief flip the state is everybody's again, and only what is said of before is not.
      return this.#flip?.isBrief !== true || (givenTickOf.get(seat) ?? -1) < this.#flip.tick
    }
    const isEcho = (seat: number) => {
      return (givenTickOf.get(seat) ?? -1) > (event.agreedTick ?? -1)
    }
    const sound = event.groups.filter((seats) => seats.some(isSound))
    if (event.spectator !== undefined) {
      const watcher = sessions.find(({ member }) => member.id === event.spectator)?.name ?? ''
      world.always('I-09', this.isFlipped(watcher) || sound.length === 0, () => {
        return `${watcher}, who only watches and is in step, is told that he is not`
      })
      return
    }
    this.#toldCount += 1
    this.#toldGroups = event.groups
    const shown = () => `after tick ${event.agreedTick}, at ${event.tick}: ${show(event.groups)}`
    world.always('I-09', sound.length < 2, () => `Players in step are told apart ${shown()}`)
    const blamed = culpritsOf(event.verdict)
    world.always('I-09', !blamed.some(isSound), () => `A player in step is blamed ${shown()}`)
    world.sometimes('somebody was blamed for a desync', blamed.length > 0)
    const apart = event.groups.filter((seats) => !seats.some(isSound)).flat()
    const isFlip = (seat: number) => this.isFlipped(nameOf.get(seat) ?? '')
    // A liar goes apart whenever it likes.
    if (apart.every(isFlip)) {
      const tick = this.#badTick
      const isWithin = event.tick >= tick && (event.agreedTick ?? -1) < tick
      world.always('I-09', isWithin, () => `Flipped at tick ${tick}, told ${shown()}`)
    }
    if (sound.length > 0 && apart.some(isFlip)) {
      this.#toldAtMs = Math.min(this.#toldAtMs, world.nowMs)
      if (blamed.some(isFlip)) this.#blamedAtMs = Math.min(this.#blamedAtMs, world.nowMs)
    }
    const voices = sound.flat().filter((seat) => !isEcho(seat))
    const playing = sessions.filter(({ seat, link, name }) => {
      // What strangers call themselves says nothing about their links.
      return seat !== undefined && (link >= 0 || isOnLine(name) || !this.#isHonest(name))
    })
    // Who is let go in the same call still counts; its seat may have been given to somebody else by now.
    const seats = new Set(playing.map(({ seat }) => seat))
    this.#checkBlame(event, apart.filter(isFlip), voices.length, seats.size, shown)
    world.sometimes('a desync was told', this.#isTold)
    world.sometimes('a liar about hashes was told apart', !apart.every(isFlip))
  }

  /** Where more than half of all who play are in step and said so, whoever is not is blamed. */
  #checkBlame(
    { verdict, groups }: Mismatch,
    flipped: readonly number[],
    soundCount: number,
    playing: number,
    shown: () => string,
  ): void {
    // Who has spoken counts, also when its link is lost by now.
    const electors = Math.max(playing, groups.flat().length)
    const isClear = soundCount * 2 > electors && flipped.length > 0
    const blamed = culpritsOf(verdict)
    const isBlamed = flipped.every((seat) => blamed.includes(seat))
    this.#world.always('I-09', !isClear || isBlamed, () => `Nobody is blamed ${shown()}`)
  }

  /** The first tick that differs. */
  get #badTick(): number {
    const known = this.#flip?.tick ?? 0
    return this.#isQuirk || this.#isHealed ? this.#apartTick : known
  }

  /** Something is known of how two groups went apart: of a flip, all of it must be right. */
  noteFound({ finding, seats }: Found, sessions: Sessions): void {
    const world = this.#world
    const nameOf = new Map(sessions.map(({ seat, name }) => [seat, name]))
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
    const flipTick = this.#badTick
    world.always('I-09', !isExact || tick === flipTick, () => `Another tick: ${shown()}`)
    const isPlace = (label: string) =>
      this.#isQuirk ? quirkLeaf.test(label) : flippedLeaves.has(label)
    const isLeaf = leaves.length === 0 || leaves.some(isPlace)
    world.always('I-09', !isExact || isLeaf, () => `Another place: ${shown()}`)
    const isTrue = reruns[(1 - flipped) as 0 | 1]?.isSame !== false
    world.always('I-09', isTrue, () => `Somebody sound was changed: ${shown()}`)
    if (this.#isQuirk) {
      // The code of its machine gives the same again, and not what that of the others does.
      const isCode = reruns[flipped as 0 | 1]?.isSame !== false
      world.always('I-09', isCode, () => `Code is said to be a write from outside: ${shown()}`)
      world.sometimes('another build was traced', stage === 'traced' && !finding.areWritesSame)
      return
    }
    const isOwn = reruns[flipped as 0 | 1]?.isSame === true
    // A tick long after the flip gives the same again: the flip is in the state that it starts from.
    world.always(
      'I-09',
      !isOwn || !isExact,
      () => `A flip is said to come from the code: ${shown()}`,
    )
    world.sometimes('a flip was located', finding.place !== undefined)
    world.sometimes('a flip was traced', stage === 'traced' && finding.areWritesSame)
  }

  /** In fine weather a flip is told within this time. */
  checkSoon(clients: readonly FlipClient[], sealedTick: number): void {
    const sinceMs = this.#world.nowMs - this.flippedAtMs
    // Where ticks are slow, the relay is as patient as a number of them takes.
    const isEarly = sealedTick - this.#apartTick < soonTicks && sinceMs < patienceMsMax + soonMs
    if (sinceMs < soonMs || isEarly || !this.#isComparable(clients)) return
    this.#world.always('I-09', this.#isTold, () => `A flip was not told within ${soonMs} ms`)
  }

  /** After the quiet everybody knows. */
  checkQuiet(clients: readonly FlipClient[], hasStrangers: boolean): void {
    this.#checkReaction(clients)
    const flipped = clients.find(({ plan }) => plan.name === this.#flip?.client)
    if (!this.isOn || this.#isHealed || flipped === undefined || !isThere(flipped)) return
    // Crashes may delay its tick until the very end, with the report still in flight.
    if (this.#world.nowMs - this.flippedAtMs < 2 * soonMs) return
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
      // What was told last may be about a liar, who was told apart after the flip.
      const isToldLast = show(groups) === show(this.#toldGroups)
      this.#world.always('I-09', groups.flat().includes(seat) || isToldLast, () => {
        return `${plan.name} was not told of the flip`
      })
    }
  }

  /** What follows a desync is what the match was made with, and comes in time. */
  #checkReaction(clients: readonly FlipClient[]): void {
    const world = this.#world
    const isHalting = this.#policy === 'halt'
    world.always('I-09', this.#haltCount === (isHalting ? this.#toldCount : 0), () => {
      return `Told of ${this.#toldCount} desyncs, and stopped ${this.#haltCount} times`
    })
    const isGoing = clients.some((actor) => {
      return isPlaying(actor) && actor.client.simulation?.isPaused === false
    })
    const isStill = this.#haltCount === 0 || this.#mayResume
    world.always('I-09', isStill || !isGoing, 'The match goes on although machines differ')
    // Who has left needs no state. Who sees the match later must not get that of now (I-36).
    const isWaiting = clients.some((actor) => {
      const isLater = this.#isDelayed && isAudience(actor)
      return this.isFlipped(actor.plan.name) && isThere(actor) && !isLater
    })
    const isLate = this.#policy === 'resync' && world.nowMs - this.#blamedAtMs > healMs
    world.always(
      'I-09',
      !isLate || !isWaiting,
      'Somebody is blamed for a desync, and was never healed',
    )
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

/** Whether it watches, and has no seat to take back. */
function isAudience({ client: { room, member } }: FlipClient): boolean {
  const own = room?.members.find(({ id }) => id === member)
  return own?.role === 'spectator' && own.claim === undefined
}

function isThere({ closedReason, hasLeft }: FlipClient): boolean {
  return closedReason === undefined && !hasLeft
}

function show(groups: readonly (readonly number[])[]): string {
  return groups.map((seats) => `[${seats}]`).join(' ')
}

/** Where quirks of the toy show: its chain, its book, and the random numbers, which are the match's own. */
const quirkLeaf = /^(?:chain\/input|book|[^/]*random)\b|random/i

/** From being blamed to having the state of the others: the explanation, some votes, and a download. */
const healMs = 25_000

/**
 * From running the tick to being told: a second of patience for who has not reported, a tick in common
 * of groups of up to four, and two ways.
 */
const soonMs = 2_500
/** The same in ticks, where those take long. */
const soonTicks = settleTicks + 8
