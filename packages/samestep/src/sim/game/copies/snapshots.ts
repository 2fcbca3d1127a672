import { WireError } from '../../../base/errors.ts'
import { fromHex } from '../../hash/hex.ts'
import type { SnapshotHeader } from '../../snapshot/header.ts'
import { readSnapshot } from '../../snapshot/reader.ts'
import type { SectionWriter } from '../../snapshot/section.ts'
import type { WriteOptions } from '../../snapshot/writer.ts'
import { writeSnapshot } from '../../snapshot/writer.ts'
import type { GameShape } from '../definition/context.ts'
import type { Game } from '../definition/define-game.ts'
import type { Simulation } from '../run/simulation.ts'
import type { MatchTerms, SnapshotMatch } from './match-section.ts'
import { checkTerms, readTerms, saveTerms } from './match-section.ts'
import { completeSections } from './old-sections.ts'
import { engineVersion } from './version.ts'

/** Options for loading a snapshot. */
export interface RestoreOptions {
  /** What to do with sections and columns that the game does not declare. Defaults to `refuse`. */
  readonly unknown?: 'refuse' | 'skip'
  /** Refuse snapshots of any match other than the simulation's own. */
  readonly sameMatch?: boolean
  /** The maximum size of the unpacked snapshot in bytes. */
  readonly bytesMax?: number
}

/**
 * The whole state at the current tick as bytes, for a saved game, a late joiner, a replay or a bug report.
 *
 * `raw` is fastest, `packed` (the default) less than half the size, `deflate` smallest and slowest.
 */
export function saveSnapshot<G extends GameShape, R>(
  simulation: Saved<G, R> & Pick<Simulation<G, R>, 'seats' | 'options' | 'seed'>,
  options: WriteOptions = {},
): Uint8Array {
  return writeSections(simulation, options, (out) => {
    saveTerms(out, simulation as MatchTerms<G>)
    simulation.parts.save(out)
  })
}

/** As {@link saveSnapshot}, for whoever knows of which match it is: the state and nothing else. */
export function saveState<G extends GameShape, R>(
  simulation: Saved<G, R>,
  options: WriteOptions,
): Uint8Array {
  return writeSections(simulation, options, (out) => simulation.parts.save(out))
}

type Saved<G extends GameShape, R> = Pick<
  Simulation<G, R>,
  'game' | 'matchTick' | 'matchId' | 'parts'
>

function writeSections<G extends GameShape, R>(
  { game, matchTick, matchId }: Saved<G, R>,
  options: WriteOptions,
  save: (out: SectionWriter) => void,
): Uint8Array {
  const header: SnapshotHeader = {
    engine: engineVersion,
    gameId: game.id,
    gameVersion: game.version,
    fingerprint: fromHex(game.fingerprint),
    matchId,
    tick: matchTick,
  }
  return writeSnapshot(header, save, options)
}

/**
 * Replaces a simulation's state with that of a snapshot. From then on it runs exactly like the simulation
 * that was saved. Snapshots of earlier versions of the game also load, using the histories of their fields.
 *
 * A snapshot loads only into a simulation with the same seats, options and seed: with others, the copy
 * would differ from the original a few ticks later.
 *
 * @throws WireError if the bytes are damaged, or belong to another game, a later version, or a match with
 * other seats, options or seed; the message says which. If the content of the sections is wrong, the
 * simulation is left empty and must be loaded again or discarded.
 */
export function loadSnapshot<G extends GameShape, R>(
  simulation: Simulation<G, R>,
  bytes: Uint8Array,
  options: RestoreOptions = {},
): void {
  const { header, sections } = readSnapshot(
    bytes,
    options.bytesMax === undefined ? {} : { maxBytes: options.bytesMax },
  )
  checkHeader(simulation, header, options)
  const terms = simulation as MatchTerms<G>
  const own = completeSections(checkTerms(sections, header.gameVersion, terms))
  simulation.parts.load(own, {
    fileVersion: header.gameVersion,
    gameVersion: simulation.game.version,
    unknown: options.unknown ?? 'refuse',
  })
  if (simulation.matchTick !== header.tick) {
    mismatch('tick', String(simulation.matchTick), String(header.tick))
  }
  simulation.handleLoaded()
}

/**
 * The match of a snapshot. Create the simulation with it to continue a saved game. Returns `undefined` for
 * a file without this section.
 *
 * @example
 * ```ts
 * const simulation = createSimulation(dots, { seed: 1, ...readSnapshotMatch(dots, bytes) })
 * loadSnapshot(simulation, bytes)
 * ```
 *
 * @throws WireError when the bytes are damaged or of another game.
 */
export function readSnapshotMatch<G extends GameShape, R>(
  game: Game<G, R>,
  bytes: Uint8Array,
): SnapshotMatch<G> | undefined {
  const { header, sections } = readSnapshot(bytes)
  if (header.gameId !== game.id) mismatch('game', header.gameId, game.id)
  return readTerms(sections, header.gameVersion, game)
}

function checkHeader<G extends GameShape, R>(
  { game, matchId }: Simulation<G, R>,
  header: SnapshotHeader,
  options: RestoreOptions,
): void {
  if (header.gameId !== game.id) mismatch('game', header.gameId, game.id)
  if (header.gameVersion > game.version) {
    throw new WireError(
      'SS_WIRE_BAD_VERSION',
      0,
      `The snapshot is of version ${header.gameVersion} of '${game.id}'; this is version ${game.version}`,
    )
  }
  const ours = fromHex(game.fingerprint)
  const isSame = header.fingerprint.every((byte, index) => byte === ours[index])
  // Within one version everything must agree; between versions the histories say what may differ.
  if (header.gameVersion === game.version && !isSame) {
    mismatch('fingerprint of the game', 'another', game.fingerprint)
  }
  if (options.sameMatch === true && header.matchId !== matchId) {
    mismatch('match', header.matchId, matchId)
  }
}

function mismatch(item: string, theirs: string, ours: string): never {
  throw new WireError(
    'SS_WIRE_MISMATCH',
    0,
    `The snapshot's ${item} is '${theirs}'; it must be '${ours}'`,
  )
}
