import { unreachable } from '../../base/assert.ts'
import { goneMs, hiddenMsMax, silentMs } from '../../wire/patience.ts'
import { Lag } from './lag.ts'
import type { GoneReason, LivenessAlarm, LivenessWord, PresenceEvent } from './presence.ts'
import { PresenceTeller } from './presence-teller.ts'
import { type Awake, Progress } from './progress.ts'
import { ProofToken } from './proof-token.ts'
import { Silence } from './silence.ts'
import type { StrikeReason } from './strikes.ts'

type State = Awake | Silence | { readonly name: 'gone' }

/**
 * Whether somebody is there, and keeps up. An open socket proves nothing: a client proves that it
 * lives by sending back a random token together with the newest tick that it executed (T-41, DIS-06).
 *
 *              ┌─ late, or 2 s behind ─► lagging ─ 60 s behind ──────────────────────────┐
 *     active ◄─┴────── level ───────────────┘                                             │
 *        │ ▲                          without progress: 10 s, catching up 15 s ───────────┤
 *        │ └─ level ── catching-up ◄─ shown, or a new link, and 2 s behind                ▼
 *        ├──── says so ──► hidden ──────── 75 s of silence ────────────────────────────► gone
 *        └──── 3 s of silence, or no link ──► silent ─ 10 s: half-open ─ 15 s ─ 60 s ─────┘
 *
 * The relay seals on without waiting; presence is for the eyes of others, and for the end of those who
 * will not come back. Time in which the relay itself stood still counts against nobody (F-14).
 */
export class Liveness {
  readonly #seat: number | undefined
  readonly #teller = new PresenceTeller()
  readonly #token = new ProofToken()
  readonly #lag: Lag
  #state: State = { name: 'active' }
  #hasLink = true
  /** In whole ms, rounded up: an integer is part of this object, another number one of its own. */
  #heardAtMs: number
  readonly #progress: Progress
  #sealedTick = 0
  /**
   * Up to when all is well as long as something comes: what comes then changes nothing but when we
   * last heard. Nearly all that ever comes does, and a relay hears thousands per second.
   */
  #wellUntilMs = -1
  readonly #alarm: LivenessAlarm
  /** Whether {@link pollEvent} has something to tell: here, because every packet asks. */
  hasEvents = false

  /** Whoever is let in is level until a tick proves otherwise. `seat` is only for the record. */
  constructor(
    seat: number | undefined,
    tickRate: number,
    nowMs: number,
    alarm: LivenessAlarm = { atMs: Number.POSITIVE_INFINITY },
  ) {
    this.#alarm = alarm
    this.#seat = seat
    this.#lag = new Lag(tickRate)
    this.#heardAtMs = Math.ceil(nowMs)
    this.#progress = new Progress(nowMs)
    this.#settle(nowMs)
  }

  /** When something last came. */
  get heardAtMs(): number {
    return this.#heardAtMs
  }

  get presence(): LivenessWord {
    return this.#state.name
  }

  /** Whether the player is there and plays, in time or not. */
  get isAble(): boolean {
    const { name } = this.#state
    return name === 'active' || name === 'lagging'
  }

  /** The newest tick that is proved to have been executed. */
  get executedTick(): number {
    return this.#progress.executedTick
  }

  /** The token to be sent, -1 before there is one; it changes at most once per second. */
  get token(): number {
    return this.#token.value
  }

  /** Whether it is time for a new token. */
  isTokenDue(nowMs: number): boolean {
    return this.#hasLink && this.#token.isDue(nowMs)
  }

  setToken(token: number, nowMs: number): void {
    this.#token.set(token, nowMs)
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
      this.#noteSealed(sealedTick, nowMs)
      this.#heardAtMs = Math.ceil(nowMs)
      return executedTick > sealedTick ? 'wrong-tick' : undefined
    }
    this.#noteSealed(sealedTick, nowMs)
    this.handlePacket(nowMs)
    if (executedTick > sealedTick) return 'wrong-tick'
    if (token === undefined) return undefined
    const verdict = this.#token.judge(token, nowMs)
    if (verdict !== 'proof') return verdict === 'nothing' ? undefined : verdict
    this.#lag.behindTicks = sealedTick - executedTick
    this.#progress.note(executedTick, sealedTick, nowMs)
    if (this.#lag.isLevel) this.#setBehind(false)
    this.#settle(nowMs)
    return undefined
  }

  /**
   * It gets further otherwise than by running ticks: it downloads a state, or waits for us to have one.
   * Says nothing about whether it is there: what its silence means is told when somebody listens.
   */
  noteProgress(nowMs: number): void {
    this.#progress.atMs = nowMs
  }

  /** An input came after its tick was sealed (T-34). */
  handleLateTick(nowMs: number): void {
    this.#lag.late.add(nowMs)
    this.#settle(nowMs)
  }

  /** A link carries the session (again), and the client lacks so many ticks. */
  handleLinkUp(behindTicks: number, nowMs: number): void {
    this.#hasLink = true
    this.#forgive(nowMs)
    this.#heardAtMs = Math.ceil(nowMs)
    this.#lag.behindTicks = behindTicks
    this.#setBehind(this.#lag.isFar)
    this.#settle(nowMs)
  }

  /** Goes on with a client of a relay that is gone, and has no link to this one yet. */
  restore(nowMs: number): void {
    this.#token.restore()
    this.handleLinkDown(nowMs)
  }

  /** The link is lost. Silence counts from the last that came. */
  handleLinkDown(nowMs: number): void {
    this.#hasLink = false
    this.#settle(nowMs)
  }

  /** The client says that its page is hidden or shown again; it lacks so many ticks by now. */
  declareHidden(isHidden: boolean, behindTicks: number, nowMs: number): void {
    const awake = awakeOf(this.#state)
    if (awake?.name === 'hidden' && !isHidden) {
      this.#forgive(nowMs)
      this.#lag.behindTicks = behindTicks
      this.#setAwake({ name: this.#lag.isFar ? 'catching-up' : 'active' })
    } else if (awake?.name !== 'hidden' && isHidden) {
      this.#setAwake({ name: 'hidden', isBehind: awake?.name === 'catching-up' })
    }
    this.handlePacket(nowMs)
  }

  /** Time has passed, and the relay has sealed so far. */
  handleTime(sealedTick: number, nowMs: number): void {
    this.#noteSealed(sealedTick, nowMs)
    this.#settle(nowMs)
  }

  /** The relay stood still for so long: nobody was silent, slow or late in that time. */
  excuse(lostMs: number): void {
    this.#heardAtMs += Math.ceil(lostMs)
    this.#progress.atMs += lostMs
    this.#token.excuse(lostMs)
    const awake = awakeOf(this.#state)
    if (awake?.name === 'lagging') awake.behindSinceMs += lostMs
    this.#lag.late.excuse(lostMs)
  }

  pollEvent(): PresenceEvent | undefined {
    const event = this.#teller.poll()
    this.hasEvents = this.#teller.hasEvents
    return event
  }

  /** When something changes without anything happening. The token is not among it: it can wait. */
  wakeAtMs(): number {
    const state = this.#state
    switch (state.name) {
      case 'active':
      case 'lagging':
      case 'catching-up': {
        const slowAtMs = this.#progress.tooSlowAtMs(state, this.#sealedTick)
        const atMs = Math.min(this.#heardAtMs + silentMs, slowAtMs)
        return state.name === 'lagging' ? Math.min(atMs, state.calmAtMs) : atMs
      }
      case 'hidden':
        return this.#heardAtMs + hiddenMsMax
      case 'silent':
        return this.#heardAtMs + state.patienceMs
      case 'gone':
        return Number.POSITIVE_INFINITY
      default:
        unreachable(state)
    }
  }

  /** As {@link wakeAtMs}, or before it: when patience ends that begins with the next sealed tick. */
  lookAtMs(): number {
    const atMs = this.wakeAtMs()
    return this.isAble ? Math.min(atMs, this.#progress.standstillAtMs) : atMs
  }

  /**
   * Patience begins when there is something to execute: the first tick, the next one of a slow match, or the
   * one with which a spectator who had seen more as a player is level with the delay again.
   */
  #noteSealed(sealedTick: number, nowMs: number): void {
    const { executedTick } = this.#progress
    const wasLevel = this.#sealedTick <= executedTick && sealedTick > executedTick
    if (this.#sealedTick === 0 || wasLevel) this.#progress.atMs = nowMs
    this.#sealedTick = sealedTick
  }

  /** By the sum, as in {@link wakeAtMs}: a difference rounds otherwise, and never comes true. */
  #isSilentFor(ms: number, nowMs: number): boolean {
    return nowMs >= this.#heardAtMs + ms
  }

  /** What could not be shown over a dead line is not missing. */
  #forgive(nowMs: number): void {
    this.#progress.atMs = nowMs
    this.#token.forgive(nowMs)
    const awake = awakeOf(this.#state)
    if (awake?.name === 'lagging' && awake.behindSinceMs < nowMs) awake.behindSinceMs = nowMs
  }

  /** Whether it has to catch up before it plays again. */
  #setBehind(isBehind: boolean): void {
    const awake = awakeOf(this.#state)
    if (awake?.name === 'hidden') this.#setAwake({ name: 'hidden', isBehind })
    else if (isBehind) this.#setAwake({ name: 'catching-up' })
    else if (awake?.name === 'catching-up') this.#setAwake({ name: 'active' })
  }

  #setAwake(awake: Awake): void {
    if (this.#state.name === 'silent') this.#state.before = awake
    else if (this.#state.name !== 'gone') this.#state = awake
  }

  /**
   * Until when somebody who plays stays as it is seen, as long as it is heard and proves nothing new. Whose
   * inputs come late is looked at again when few enough are left; who is far behind, always.
   */
  #steadyUntilMs(): number {
    const state = this.#state
    const untilMs = Math.min(this.#heardAtMs + silentMs, this.#progress.standstillAtMs)
    if (state.name === 'active') return untilMs
    const isOnlyLate = state.name === 'lagging' && state.behindSinceMs === Number.POSITIVE_INFINITY
    return isOnlyLate ? Math.min(untilMs, state.calmAtMs) : -1
  }

  /** Looks at everything, tells what changed. */
  #settle(nowMs: number): void {
    this.#look(nowMs)
    this.hasEvents = this.#teller.hasEvents
    this.#wellUntilMs = this.#sealedTick > 0 ? Math.floor(this.#steadyUntilMs()) : -1
    this.#alarm.atMs = Math.min(this.#alarm.atMs, this.lookAtMs())
  }

  #look(nowMs: number): void {
    const state = this.#state
    const before = awakeOf(state)
    if (before === undefined) return
    const isHidden = before.name === 'hidden'
    if (this.#isSilentFor(isHidden ? hiddenMsMax : goneMs, nowMs)) {
      this.#end('timeout', nowMs)
      return
    }
    const isPlaying = before.name === 'active' || before.name === 'lagging'
    const awake = isPlaying ? this.#lag.judge(before, nowMs) : before
    if (!this.#hasLink || (!isHidden && this.#isSilentFor(silentMs, nowMs))) {
      // Who is silent is judged by his silence.
      this.#fallSilent(awake, nowMs)
    } else if (
      state.name !== 'silent' &&
      nowMs >= this.#progress.tooSlowAtMs(awake, this.#sealedTick)
    ) {
      this.#end('too-slow', nowMs)
    } else {
      this.#state = awake
      this.#teller.show(awake.name, this.#progress.executedTick, nowMs)
    }
  }

  #fallSilent(before: Awake, nowMs: number): void {
    const silence = this.#state.name === 'silent' ? this.#state : new Silence(before)
    this.#state = silence
    silence.before = before
    this.#teller.show('silent', this.#progress.executedTick, nowMs)
    const sinceMs = this.#heardAtMs
    for (let step = silence.take(sinceMs, nowMs); step; step = silence.take(sinceMs, nowMs)) {
      // Without a link there is none to close.
      if (step === 'half-open' && !this.#hasLink) continue
      this.#teller.tell(step, this.#progress.executedTick, nowMs)
    }
  }

  #end(reason: GoneReason, atMs: number): void {
    this.#state = { name: 'gone' }
    const wasSilentMs = Math.max(atMs - this.#heardAtMs, 0)
    const lateTicks = this.#lag.late.total
    const tick = this.#progress.executedTick
    this.#teller.tellGone({ seat: this.#seat, reason, tick, wasSilentMs, lateTicks }, atMs)
  }
}

/** What a client does, or did before it fell silent; `undefined` when it is gone. */
function awakeOf(state: State): Awake | undefined {
  if (state.name === 'silent') return state.before
  return state.name === 'gone' ? undefined : state
}
