import { engineVersion } from '../../sim/game/copies/version.ts'
import { fromHex } from '../../sim/hash/hex.ts'
import { probeMachineBytesMax } from '../../wire/messages/desync-probes.ts'
import type { CapturedTicks, PlayedMatch } from '../recent/captured-ticks.ts'
import { packKept } from '../recent/kept-bytes.ts'
import { cutExcerpt } from '../record-excerpt.ts'
import type { DesyncReport } from '../report.ts'
import type { DesyncFile, DesyncSide } from '../report-file.ts'
import { encodeDesyncFile } from '../report-file.ts'
import { cutPieces } from '../state-pieces.ts'
import { tellText } from '../told-text.ts'
import { culpritsOf } from '../verdict.ts'

/**
 * What this machine has that explains a desync: a state from before, the bundles from there on, and its
 * chains. All of it is from when the desync was told: a player may save the report minutes later.
 */
export class OwnEvidence {
  readonly #match: PlayedMatch
  readonly #matchName: string
  readonly #sides: readonly DesyncSide[]
  readonly #record: DesyncFile['record']

  constructor(
    match: PlayedMatch,
    matchName: string,
    captured: CapturedTicks,
    report: DesyncReport,
    machine: string,
  ) {
    this.#match = match
    this.#matchName = matchName
    const { seat, config } = match.seated
    const { state, firstChainTick, chains, firstBundleTick, bundles } = captured
    const packed = state && packKept(state)
    const pieces = packed && cutPieces(packed)
    const side: DesyncSide = {
      seats: seat === undefined ? [] : [seat],
      machine: tellText(machine, probeMachineBytesMax),
      firstTick: firstChainTick,
      chains: [...chains],
      stateOutcome: packed === undefined ? 'forgotten' : pieces ? 'kept' : 'too-large',
      state: state && packed && pieces && { tick: state.tick, bytes: packed.byteLength, pieces },
    }
    this.#sides = [side]
    const source = {
      firstTick: firstBundleTick,
      lastTick: match.tick,
      at: (each: number) => bundles[each - firstBundleTick],
    }
    const fromTick = state === undefined ? report.tick : state.tick + 1
    this.#record = cutExcerpt(source, fromTick, report.tick, config.tickRate)
  }

  /** The bytes of a file, with what is known by now. */
  toBytes(report: DesyncReport): Uint8Array {
    const { game, seated } = this.#match
    const { matchId, seed, config, seat } = seated
    return encodeDesyncFile({
      engine: engineVersion,
      savedBy: seat,
      matchId,
      matchName: this.#matchName,
      gameId: game.id,
      gameVersion: game.version,
      fingerprint: fromHex(game.fingerprint),
      seed,
      config,
      tick: report.tick,
      agreedTick: report.agreedTick,
      groups: report.groups.map((seats) => [...seats]),
      culprits: [...culpritsOf(report.verdict)],
      pairs: [],
      told: toldOf(report),
      sides: [...this.#sides],
      record: this.#record,
    })
  }
}

/** What the relay found out, as it told it. */
function toldOf(report: DesyncReport): DesyncFile['told'] {
  const { stage, tick, agreedTick, place, writes, cause } = report
  if (stage === 'detected') return undefined
  return {
    stage,
    tick,
    isExact: agreedTick === tick - 1,
    place: place && {
      ...place,
      values: place.values.map(({ seats, value }) => ({ seats: [...seats], value })),
    },
    writes: writes.map(({ seats, ...write }) => ({ ...write, seats: [...seats] })),
    cause,
  }
}
