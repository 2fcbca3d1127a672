import { WireError } from '../../base/errors.ts'
import { fromHex } from '../hash/hex.ts'
import type { SnapshotHeader } from '../snapshot/header.ts'
import { readSnapshot } from '../snapshot/reader.ts'
import type { WriteOptions } from '../snapshot/writer.ts'
import { writeSnapshot } from '../snapshot/writer.ts'
import type { GameShape } from './context.ts'
import type { Simulation } from './simulation.ts'
import { engineVersion } from './version.ts'

/** How a snapshot is loaded. */
export interface RestoreOptions {
  /** What to do with sections and columns that the game does not declare; `refuse` by default. */
  readonly unknown?: 'refuse' | 'skip'
  /** Refuse a snapshot of any other match than the simulation's own. */
  readonly sameMatch?: boolean
  /** The most bytes that the unpacked snapshot may have. */
  readonly bytesMax?: number
}

/**
 * The whole state at the current tick, as bytes: for a save, a joiner, a replay or a bug report.
 *
 * `raw` is fastest, `packed` (the default) less than half the size, `deflate` smallest and slowest.
 */
export function saveSnapshot<G extends GameShape, R>(
  simulation: Pick<Simulation<G, R>, 'game' | 'tick' | 'matchId' | 'parts'>,
  options: WriteOptions = {},
): Uint8Array {
  const { game, tick, matchId, parts } = simulation
  const header: SnapshotHeader = {
    engine: engineVersion,
    gameId: game.id,
    gameVersion: game.version,
    fingerprint: fromHex(game.fingerprint),
    matchId,
    tick,
  }
  return writeSnapshot(header, (out) => parts.save(out), options)
}

/**
 * Replaces a simulation's state by a snapshot's. From there on it runs exactly as the one that was
 * saved. Snapshots of earlier versions of the game load too, by the histories of their fields.
 *
 * @throws WireError when the bytes are damaged, of another game, or of a later version. The
 * simulation is then empty and must be loaded again or thrown away.
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
  simulation.parts.load(sections, {
    fileVersion: header.gameVersion,
    gameVersion: simulation.game.version,
    unknown: options.unknown ?? 'refuse',
  })
  if (simulation.tick !== header.tick) {
    mismatch('tick', String(simulation.tick), String(header.tick))
  }
  simulation.handleLoaded()
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
