import { UsageError, WireError } from '../../base/errors.ts'
import type { MatchBeginning } from '../../client/desync/running-copy.ts'
import { makeMatchCopy } from '../../client/desync/running-copy.ts'
import type { MatchCopy } from '../../desync/investigate/match-copy.ts'
import { tellEntry } from '../../desync/investigate/traces.ts'
import { unpackKept } from '../../desync/recent/kept-bytes.ts'
import type { KeptState } from '../../desync/recent/snapshot-ring.ts'
import { readExcerpt } from '../../desync/record-excerpt.ts'
import type { DesyncFile, DesyncSide } from '../../desync/report-file.ts'
import type { FoundWrite } from '../../desync/search/pair-finding.ts'
import { entriesBefore } from '../../desync/search/write-search.ts'
import { joinPieces } from '../../desync/state-pieces.ts'
import type { Game } from '../../sim/game/definition/define-game.ts'
import { toHex } from '../../sim/hash/hex.ts'
import type { CallSiteResolver } from '../../sim/trace/call-site.ts'
import type { Trace } from '../../sim/trace/trace.ts'
import { createTrace } from '../../sim/trace/trace.ts'
import { compareTraces } from '../../sim/trace/trace-search.ts'
import type { ProbeEntry } from '../../wire/messages/desync-probes.ts'
import { InputMapping } from '../../wire/ticks/input-layout.ts'
import { startOf } from './start.ts'

/** How what this machine computes compares with what a group had. */
export interface Comparison {
  readonly seats: readonly number[]
  /** The first tick after which both differ; `undefined` when they are the same up to the bad one. */
  readonly differsAt: number | undefined
  /** Whether the group's chain after the bad tick is in the file at all. */
  readonly isKnown: boolean
  /** The first write of the bad tick that both do not make alike, where that can be told. */
  readonly write: DifferentWrite | undefined
}

/** A write that this machine makes otherwise. */
export interface DifferentWrite {
  readonly index: number
  /** Whether an earlier one may differ already. */
  readonly isOrBefore: boolean
  readonly here: ProbeEntry | undefined
  /** `undefined` where the file does not have it, or there is none. */
  readonly there: ProbeEntry | undefined
}

/** What running a bad tick again gave. */
export interface Reproduction {
  readonly tick: number
  readonly fromTick: number
  readonly from: string
  /** Whether it is the same twice. */
  readonly isStable: boolean
  /** The first write that is not, where there is one. */
  readonly unstable: ProbeEntry | undefined
  readonly compared: readonly Comparison[]
  /**
   * Whether the fault happens here: this machine computes what the culprits had, what nobody had, or
   * something else each time.
   */
  readonly happens: boolean
}

/**
 * Runs the bad tick of a report again on this machine, and compares with what every group had.
 *
 * @throws UsageError `SS_BAD_ARGUMENT` for a report that cannot be run again, or not with this game.
 */
export function reproduce(file: DesyncFile, game: Game, resolve?: CallSiteResolver): Reproduction {
  checkGame(file, game)
  const start = startOf(file)
  if (start.kind === 'none') refuse(start.why)
  const scene = new Scene(file, game, start.kind === 'state' ? start.side : undefined)
  const differsAt = file.sides.map(() => undefined as number | undefined)
  const copy = scene.begin()
  scene.run(copy, () => {
    file.sides.forEach((side, index) => {
      if (differsAt[index] === undefined && !isLike(side, copy)) {
        differsAt[index] = copy.simulation.matchTick
      }
    })
  })
  const [first, second] = [scene.trace(resolve), scene.trace(resolve)]
  const unstable = compareTraces(first, second)
  const entry = unstable.mine ?? unstable.theirs
  const isStable = unstable.verdict.result === 'same'
  const compared = file.sides.map((side, index): Comparison => {
    const at = differsAt[index]
    const write = at === file.tick && isStable ? findWrite(file, side, first) : undefined
    const isKnown = side.chains[file.tick - side.firstTick] !== undefined
    return { seats: side.seats, differsAt: at, isKnown, write }
  })
  return {
    tick: file.tick,
    fromTick: start.fromTick,
    from: start.text,
    isStable,
    unstable: entry && tellEntry(entry),
    compared,
    happens: !isStable || !isSound(file, compared),
  }
}

/** Whether this machine came to what somebody had who is not blamed. */
function isSound({ culprits }: DesyncFile, compared: readonly Comparison[]): boolean {
  return compared.some(
    ({ seats, differsAt, isKnown }) =>
      isKnown && differsAt === undefined && !seats.some((seat) => culprits.includes(seat)),
  )
}

function checkGame(file: DesyncFile, game: Game): void {
  const { gameId, gameVersion, fingerprint } = file
  if (game.id !== gameId) refuse(`it is a report of the game '${gameId}', but this is '${game.id}'`)
  if (toHex(fingerprint) === game.fingerprint) return
  const versions = `version ${gameVersion} and version ${game.version}`
  refuse(`it is a report of another build of '${gameId}': the declarations differ (${versions})`)
}

/** What it takes to run the ticks of a report again, as often as needed. */
class Scene {
  readonly #file: DesyncFile
  readonly #game: Game
  readonly #beginning: MatchBeginning
  readonly #bundles: readonly Uint8Array[]
  readonly #state: KeptState | undefined
  #before: KeptState | undefined

  constructor(file: DesyncFile, game: Game, side: number | undefined) {
    this.#file = file
    this.#game = game
    const { config, seed, matchId, record } = file
    this.#beginning = { config, seed, matchId }
    try {
      this.#bundles = record === undefined ? [] : readExcerpt(record)
      const state = side === undefined ? undefined : file.sides[side]?.state
      // The chain takes two words beside the inputs of all seats.
      const slotCount = new InputMapping(game.inputCodec.fields).layout.length
      const wordCount = config.seats * slotCount + 2
      this.#state =
        state && unpackKept(state.tick, joinPieces(state.bytes, state.pieces), wordCount)
    } catch (error) {
      if (error instanceof WireError) refuse(error.message)
      throw error
    }
  }

  /** A copy of the match where the run begins. */
  begin(trace?: Trace, state = this.#state): MatchCopy {
    const copy = makeMatchCopy(this.#game, this.#beginning, { development: false }, trace)
    if (state !== undefined) guarded(() => copy.load(state))
    return copy
  }

  /** Runs a copy through the bad tick. */
  run(copy: MatchCopy, ran: () => void): void {
    while (copy.simulation.matchTick < this.#file.tick) {
      if (copy.simulation.matchTick === this.#file.tick - 1) this.#before = copy.save()
      this.#step(copy)
      ran()
    }
  }

  /** Runs the bad tick alone, with every write recorded. */
  trace(resolve: CallSiteResolver | undefined): Trace {
    const lines = resolve === undefined ? {} : { resolve }
    const trace = createTrace({ watchesHost: true, waitsForRestart: true, ...lines })
    const copy = this.begin(trace, this.#before)
    trace.restart()
    this.#step(copy)
    return trace
  }

  #step(copy: MatchCopy): void {
    const tick = copy.simulation.matchTick + 1
    const bundle = this.#bundles[tick - (this.#file.record?.firstTick ?? 0)]
    if (bundle === undefined) refuse(`the bundle of tick ${tick} is missing`)
    guarded(() => copy.run(bundle))
  }
}

/** Whether a copy has come to what a group had after the same tick, as far as the file tells. */
function isLike({ firstTick, chains }: DesyncSide, { simulation, chain }: MatchCopy): boolean {
  const known = chains[simulation.matchTick - firstTick]
  return known === undefined || (known.lo === chain[0] && known.hi === chain[1])
}

/** The first write that this machine makes otherwise than a group. */
function findWrite(
  file: DesyncFile,
  { seats }: DesyncSide,
  trace: Trace,
): DifferentWrite | undefined {
  for (const pair of file.pairs) {
    const side = pair.seats.findIndex((each) => each.join() === seats.join())
    const { write } = pair.finding
    if (side < 0 || write === undefined) continue
    return compareWrites(write, side as 0 | 1, trace)
  }
  return undefined
}

function compareWrites(
  { blockStart, prefixes, excerpts, index: foundIndex }: FoundWrite,
  side: 0 | 1,
  trace: Trace,
): DifferentWrite | undefined {
  const words = new Uint32Array(2)
  const theirs = prefixes[side]
  let at = 0
  for (; 2 * at < theirs.length; at++) {
    const isThere = trace.prefixWords(blockStart + at + 1, words)
    if (!isThere || words[0] !== theirs[2 * at] || words[1] !== theirs[2 * at + 1]) break
  }
  const index = blockStart + at
  const here = trace.entry(index)
  const there = excerpts[side][index - Math.max(foundIndex - entriesBefore, blockStart)]
  if (here === undefined && there === undefined) return undefined
  const isOrBefore = at === 0 && blockStart > 0
  return { index, isOrBefore, here: here && tellEntry(here), there }
}

/** Runs what a stranger's bytes may make fail. */
function guarded(run: () => void): void {
  try {
    run()
  } catch (error) {
    if (error instanceof WireError || error instanceof UsageError) refuse(error.message)
    throw error
  }
}

function refuse(why: string): never {
  throw new UsageError('SS_BAD_ARGUMENT', `Cannot rerun the report: ${why}`)
}
