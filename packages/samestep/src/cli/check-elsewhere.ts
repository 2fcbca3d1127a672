/**
 * The same matches in a child process with another language and time zone. Matches go there by a
 * file, since a pipe would have to be drained while both sides work.
 */
import { spawnSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { CheckFailure, PackedMatch, Parting, PlayedMatch } from '../check/index.ts'
import { explainParting, packMatches, playElsewhere } from '../check/index.ts'
import type { Game } from '../sim/game/define-game.ts'
import { loadGame } from './load-game.ts'

/** Far from here, whoever we are: a zone of thirteen hours, a language with letters of its own. */
const otherEnvironment = { TZ: 'Pacific/Apia', LANG: 'tr_TR.UTF-8', LC_ALL: 'tr_TR.UTF-8' }

/** Matches that are played again elsewhere: enough, and little enough to be written to a file. */
export const elsewhereMatchesMax = 20

/** What the child says in the end. */
type Answer = { readonly parting: Parting | null }

/** Plays matches in another process; gives the failure if it had another state. */
export function checkElsewhere(
  game: Game,
  gameFile: string,
  exportName: string | undefined,
  matches: readonly PlayedMatch[],
): CheckFailure | undefined {
  const folder = mkdtempSync(join(tmpdir(), 'samestep-check-'))
  try {
    const file = join(folder, 'matches.json')
    writeFileSync(file, JSON.stringify(packMatches(game, matches)))
    const names = exportName === undefined ? [] : ['--export', exportName]
    const program = fileURLToPath(new URL('./main.js', import.meta.url))
    const child = spawnSync(
      process.execPath,
      [...process.execArgv, program, 'check', gameFile, '--elsewhere', file, ...names],
      { env: { ...process.env, ...otherEnvironment }, stdio: ['ignore', 'ignore', 'inherit'] },
    )
    if (child.status !== 0) throw new Error(`The other process ended with code ${child.status}`)
    const { parting } = JSON.parse(readFileSync(file, 'utf8')) as Answer
    return parting === null ? undefined : explainParting(game, matches, parting)
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

/** The child's side: plays the matches of a file, and writes its answer in their place. */
export async function answerElsewhere(
  gameFile: string,
  exportName: string | undefined,
  file: string,
): Promise<void> {
  const game = await loadGame(gameFile, exportName)
  const matches = JSON.parse(readFileSync(file, 'utf8')) as readonly PackedMatch[]
  const answer: Answer = { parting: playElsewhere(game, matches) ?? null }
  writeFileSync(file, JSON.stringify(answer))
}
