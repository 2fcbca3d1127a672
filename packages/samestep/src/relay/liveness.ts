import { OutputQueue } from '../base/output-queue.ts'
import { LateTicks } from './late-ticks.ts'
import type {
  Blame,
  GoneReason,
  LivenessAlarm,
  Presence,
  PresenceEvent,
  Stage,
} from './presence.ts'
import { stageMs } from './presence.ts'
import type { StrikeReason } from './strikes.ts'

/**
 * Whether somebody is there, and keeps up. An open socket proves nothing: a client proves that it
 * lives by sending back a random token together with the newest tick that it executed (T-41, DIS-06).
 * A new token is given only when the last one came back, so a slow line is never taken for a lie.
 *
 *     silence   0 ──── 3 s ──────── 10 s ────── 15 s ───────── 60 s
 *               active  silent       half-open    unresponsive   gone
 *
 *     declared hidden: 75 s, because browsers let a hidden page run once a minute (F-08, F-13)
 *
 * The relay seals on without waiting; presence is for the eyes of others, and for the end of those who
 * will not come back. Time in which the relay itself stood still counts against nobody (F-14).
 */
export class Liveness {
  readonly #seat: number | undefined
  readonly #tickRate: number
  readonly #events = new OutputQueue<PresenceEvent>()
  readonly #late = new LateTicks()
  #presence: Presence = 'catching-up'
  #stage: Stage = 'joining'
  #hasLink = true
  #isHidden = false
  /** In whole ms, rounded up: an integer is part of this object, another number one of its own. */
  #heardAtMs: number
  /** What of the silence was told already: 0 nothing, 1 silent, 2 half-open, 3 unresponsive. */
  #silenceTold = 0
  /** The newest proof of progress, in whatever the stage counts. */
  #progress = 0
  #progressAtMs: number
  #executedTick = 0
  #sealedTick = 0
  /** How far behind it was when it last proved anything. */
  #behindTicks = 0
  #isLagging = false
  /** Since when it is so far behind that it would be another game. */
  #behindSinceMs = Number.POSITIVE_INFINITY
  /** When so few late ticks will be left that it lags no more. */
  #calmAtMs = Number.POSITIVE_INFINITY
  /** Below 0 before there is one. */
  #token = -1
  #previousToken = -1
  #isReturned = true
  #tokenAtMs = Number.NEGATIVE_INFINITY
  /**
   * Up to when all is well as long as something comes: what comes then changes nothing but when we
   * last heard. Nearly all that ever comes does, and a relay hears thousands per second.
   */
  #wellUntilMs = -1
  readonly #alarm: LivenessAlarm
  #hasEvents = false

  /** `seat` is only written into the record; `undefined` for a spectator. */
  constructor(
    seat: number | undefined,
    tickRate: number,
    nowMs: number,
    alarm: LivenessAlarm = { atMs: Number.POSITIVE_INFINITY },
  ) {
    this.#alarm = alarm
    this.#seat = seat
    this.#tickRate = tickRate
    this.#heardAtMs = Math.ceil(nowMs)
    this.#progressAtMs = nowMs
  }

  get presence(): Presence {
    return this.#presence
  }

  /** Whether the player is there and plays, in time or not. */
  get isAble(): boolean {
    return this.#presence === 'active' || this.#presence === 'lagging'
  }

  get stage(): Stage {
    return this.#stage
  }

  /** The newest tick that is proved to have been executed. */
  get executedTick(): number {
    return this.#executedTick
  }

  /** The token to be sent, -1 before there is one; it changes at most once per second. */
  get token(): number {
    return this.#token
  }

  /** Whether it is time for a new token. */
  isTokenDue(nowMs: number): boolean {
    return this.#hasLink && this.#isReturned && nowMs >= this.#tokenAtMs + tokenEveryMs
  }

  /** Gives a new token: 32 random bits, other than the last ones. */
  setToken(token: number, nowMs: number): void {
    this.#previousToken = this.#token
    this.#token = token
    this.#isReturned = false
    this.#tokenAtMs = nowMs
  }

  /** Something came from this client. */
  handlePacket(nowMs: number): void {
    if (this.#isSilentFor(silentMs, nowMs)) this.#forgive(nowMs)
    this.#heardAtMs = Math.ceil(nowMs)
    this.#settle(nowMs)
  }

  /**
   * A sign of life: the newest token that the client has seen, if any, and the newest tick that it
   * executed. What others overtook comes here only with the newest token. Gives what it is to be
   * struck for.
   */
  handleProof(
    token: number | undefined,
    executedTick: number,
    sealedTick: number,
    nowMs: number,
  ): StrikeReason | undefined {
    if (token === undefined && nowMs < this.#wellUntilMs) {
      this.#sealedTick = sealedTick
      this.#heardAtMs = Math.ceil(nowMs)
      return executedTick > sealedTick ? 'wrong-tick' : undefined
    }
    this.#noteSealed(sealedTick, nowMs)
    this.handlePacket(nowMs)
    if (executedTick > sealedTick) return 'wrong-tick'
    if (token === undefined) return undefined
    if (token === this.#token) this.#isReturned = true
    else if (token !== this.#previousToken) return 'wrong-token'
    else if (this.#isReturned) return 'old-token'
    // A client that never sees the new token does not live: its line would have brought it.
    else if (nowMs - this.#tokenAtMs >= stageMs.playing) return undefined
    this.#behindTicks = sealedTick - executedTick
    const isMoving = executedTick > this.#executedTick || this.#behindTicks === 0
    if (isMoving) this.#progressAtMs = nowMs
    if (executedTick > this.#executedTick) this.#executedTick = executedTick
    const isLevel = this.#behindTicks * 1_000 <= levelMs * this.#tickRate
    if (this.#stage === 'catching-up' && isLevel) this.#stage = 'playing'
    this.#settle(nowMs)
    return undefined
  }

  /** The client is busy with something else, such as loading. */
  setStage(stage: Stage, nowMs: number): void {
    if (stage !== this.#stage) {
      this.#stage = stage
      this.#progress = 0
      this.#progressAtMs = nowMs
    }
    this.#settle(nowMs)
  }

  /** How far it is with that: bytes, percent, whatever grows. */
  handleProgress(progress: number, nowMs: number): void {
    if (progress > this.#progress) {
      this.#progress = progress
      this.#progressAtMs = nowMs
    }
    this.handlePacket(nowMs)
  }

  /** An input came after its tick was sealed (T-34). */
  handleLateTick(nowMs: number): void {
    this.#late.add(nowMs)
    this.#settle(nowMs)
  }

  /** A link carries the session (again), and the client lacks so many ticks. */
  handleLinkUp(behindTicks: number, nowMs: number): void {
    this.#hasLink = true
    this.#forgive(nowMs)
    this.#heardAtMs = Math.ceil(nowMs)
    this.#noteBehind(behindTicks)
    this.#settle(nowMs)
  }

  /** The link is lost. Silence counts from the last that came. */
  handleLinkDown(nowMs: number): void {
    this.#hasLink = false
    this.#settle(nowMs)
  }

  /** The client says that its page is hidden or shown again; it lacks so many ticks by now. */
  declareHidden(isHidden: boolean, behindTicks: number, nowMs: number): void {
    if (this.#isHidden && !isHidden) {
      this.#forgive(nowMs)
      this.#noteBehind(behindTicks)
    }
    this.#isHidden = isHidden
    this.handlePacket(nowMs)
  }

  /** Goes by its own wish, or is sent away. */
  handleLeave(nowMs: number): void {
    this.#end('left', nowMs)
  }

  /** Time has passed, and the relay has sealed so far. */
  handleTime(sealedTick: number, nowMs: number): void {
    this.#noteSealed(sealedTick, nowMs)
    this.#settle(nowMs)
  }

  /** The relay stood still for so long: nobody was silent, slow or late in that time. */
  excuse(lostMs: number): void {
    this.#heardAtMs += Math.ceil(lostMs)
    this.#progressAtMs += lostMs
    this.#tokenAtMs += lostMs
    this.#behindSinceMs += lostMs
    this.#late.excuse(lostMs)
  }

  /** Whether {@link pollEvent} has something to tell: here, so that nothing else is looked at. */
  get hasEvents(): boolean {
    return this.#hasEvents
  }

  pollEvent(): PresenceEvent | undefined {
    const event = this.#events.shift()
    this.#hasEvents = !this.#events.isEmpty
    return event
  }

  /** When something changes without anything happening. The token is not among it: it can wait. */
  wakeAtMs(): number {
    if (this.#presence === 'gone') return Number.POSITIVE_INFINITY
    const silence = this.#heardAtMs + this.#nextSilenceMs()
    if (this.#silenceTold > 0) return silence
    const lag = Math.min(this.#behindSinceMs + behindMsMax, this.#calmAtMs)
    const patience = this.#isWatched() ? this.#progressAtMs + stageMs[this.#stage] : silence
    return Math.min(silence, lag, patience)
  }

  /** As {@link wakeAtMs}, or before it: when patience ends that begins with the next sealed tick. */
  lookAtMs(): number {
    return Math.min(this.wakeAtMs(), this.#progressAtMs + stageMs[this.#stage])
  }

  /** Until the first tick there was nothing to execute: patience begins with it. */
  #noteSealed(sealedTick: number, nowMs: number): void {
    if (this.#sealedTick === 0) this.#progressAtMs = nowMs
    this.#sealedTick = sealedTick
  }

  /** Whether missing progress is held against it: not while hidden, silent or without a link. */
  #isWatched(): boolean {
    if (!this.#hasLink || this.#isHidden || this.#silenceTold > 0) return false
    return this.#stage !== 'playing' || this.#sealedTick > this.#executedTick
  }

  #nextSilenceMs(): number {
    if (this.#isHidden) return hiddenMsMax
    return silenceSteps[this.#silenceTold] ?? goneMs
  }

  /** By the sum, as in {@link wakeAtMs}: a difference rounds otherwise, and never comes true. */
  #isSilentFor(ms: number, nowMs: number): boolean {
    return nowMs >= this.#heardAtMs + ms
  }

  /** What could not be shown over a dead line is not missing. */
  #forgive(nowMs: number): void {
    this.#progressAtMs = nowMs
    this.#tokenAtMs = Math.max(this.#tokenAtMs, nowMs - tokenEveryMs)
    if (this.#behindSinceMs < nowMs) this.#behindSinceMs = nowMs
  }

  #noteBehind(behindTicks: number): void {
    this.#behindTicks = behindTicks
    const isFar = behindTicks * 1_000 > farMs * this.#tickRate
    if (this.#stage === 'playing' || this.#stage === 'catching-up') {
      this.#stage = isFar ? 'catching-up' : 'playing'
    }
  }

  /** Looks at everything, tells what changed. */
  #settle(nowMs: number): void {
    this.#look(nowMs)
    const isWell = this.#presence === 'active' && this.#sealedTick > 0
    const untilMs = Math.min(this.#heardAtMs + silentMs, this.#progressAtMs + stageMs.playing)
    this.#wellUntilMs = isWell ? Math.floor(untilMs) : -1
    this.#alarm.atMs = Math.min(this.#alarm.atMs, this.lookAtMs())
  }

  #look(nowMs: number): void {
    if (this.#presence === 'gone') return
    if (this.#isSilentFor(this.#isHidden ? hiddenMsMax : goneMs, nowMs)) {
      this.#end('timeout', nowMs)
      return
    }
    this.#settleLag(nowMs)
    const isStuck = this.#isWatched() && nowMs >= this.#progressAtMs + stageMs[this.#stage]
    const isSlow = nowMs >= this.#behindSinceMs + behindMsMax
    // Who is silent is judged by his silence.
    const isSilent = !this.#hasLink || (!this.#isHidden && this.#isSilentFor(silentMs, nowMs))
    if (!isSilent && (isStuck || isSlow)) {
      this.#end('too-slow', nowMs)
      return
    }
    this.#show(isSilent ? 'silent' : this.#awake(), nowMs)
    if (isSilent) this.#tellSilence(nowMs)
    else this.#silenceTold = 0
  }

  #awake(): Presence {
    if (this.#isHidden) return 'hidden'
    if (this.#stage !== 'playing') return 'catching-up'
    return this.#isLagging ? 'lagging' : 'active'
  }

  #settleLag(nowMs: number): void {
    const isPlaying = this.#stage === 'playing' && !this.#isHidden
    const isBehind = this.#behindTicks * 1_000 > farMs * this.#tickRate
    const isLate = this.#late.isMany(nowMs, this.#isLagging)
    this.#isLagging = isPlaying && (isBehind || isLate)
    this.#calmAtMs = this.#isLagging && isLate ? this.#late.calmAtMs() : Number.POSITIVE_INFINITY
    // Late inputs cost nobody but who sends them: a far player is told, and may stay.
    if (!isPlaying || !isBehind) this.#behindSinceMs = Number.POSITIVE_INFINITY
    else if (this.#behindSinceMs === Number.POSITIVE_INFINITY) this.#behindSinceMs = nowMs
  }

  #tellSilence(nowMs: number): void {
    if (this.#silenceTold === 0) this.#silenceTold = 1
    if (this.#isHidden) return
    if (this.#silenceTold === 1 && this.#isSilentFor(halfOpenMs, nowMs)) {
      this.#silenceTold = 2
      if (this.#hasLink) this.#tell('half-open', nowMs)
    }
    if (this.#silenceTold === 2 && this.#isSilentFor(graceMs, nowMs)) {
      this.#silenceTold = 3
      this.#tell('unresponsive', nowMs)
    }
  }

  #show(next: Presence, nowMs: number): void {
    const before = this.#presence
    if (before === next) return
    this.#presence = next
    if (before === 'silent') this.#tell('back', nowMs)
    if (before === 'hidden' && next !== 'silent') this.#tell('visible', nowMs)
    if (next === 'active') {
      if (before === 'lagging' || before === 'catching-up') this.#tell('caught-up', nowMs)
    } else if (next !== 'gone') {
      this.#tell(next, nowMs)
    }
  }

  #tell(type: Exclude<PresenceEvent['type'], 'gone'>, atMs: number): void {
    this.#hasEvents = true
    this.#events.push({ type, atMs, tick: this.#executedTick })
  }

  #end(reason: GoneReason, atMs: number): void {
    if (this.#presence === 'gone') return
    this.#presence = 'gone'
    const blame: Blame = {
      seat: this.#seat,
      reason,
      tick: this.#executedTick,
      wasSilentMs: Math.max(atMs - this.#heardAtMs, 0),
      lateTicks: this.#late.total,
    }
    this.#hasEvents = true
    this.#events.push({ type: 'gone', atMs, blame })
  }
}

/** Silence after which others are told, and what is told at 10 s, at 15 s and at 60 s (DIS-01). */
const silentMs = 3_000
const halfOpenMs = 10_000
const graceMs = 15_000
const goneMs = 60_000
const silenceSteps: readonly number[] = [silentMs, halfOpenMs, graceMs, goneMs]

/** The longest silence of a hidden page: its timers may run once a minute, and one may be late. */
const hiddenMsMax = 75_000

/** How often a token is renewed. */
const tokenEveryMs = 1_000

/** How long somebody may be far behind: a minute is a bad line; more is another game (T-34). */
const behindMsMax = 60_000

/** How far behind is too far to call it playing, and how close it must be to be level again. */
const farMs = 2_000
const levelMs = 500
