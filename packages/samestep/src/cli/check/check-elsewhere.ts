/**
 * The same matches in child processes with other languages and time zones. Matches go there by a
 * file, since a pipe would have to be drained while both sides work.
 */
import { spawn } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { CheckFailure, PackedMatch, Parting, PlayedMatch } from '../../check/index.ts'
import { explainParting, packMatches, playElsewhere } from '../../check/index.ts'
import type { Game } from '../../sim/game/definition/define-game.ts'
import { loadGame } from '../game/load-game.ts'

/**
 * Far from here, whoever we are: zones of odd minutes, and languages that sort plain letters
 * otherwise than English and than each other, `i` that becomes `İ`, `z` before `t`, `aa` behind `z`,
 * `ch` behind `h`. The first plays all matches, the others the last one.
 */
const countries = [
  { TZ: 'Pacific/Apia', LC_ALL: 'tr_TR.UTF-8' },
  { TZ: 'America/St_Johns', LC_ALL: 'et_EE.UTF-8' },
  { TZ: 'Asia/Kathmandu', LC_ALL: 'da_DK.UTF-8' },
  { TZ: 'Australia/Eucla', LC_ALL: 'cs_CZ.UTF-8' },
] as const

/** Matches that are played again elsewhere: enough, and little enough to be written to a file. */
export const elsewhereMatchesMax = 20

/** What the child says in the end. */
type Answer = { readonly parting: Parting | null }

/** Plays matches in other processes; gives the failure if one of them had another state. */
export async function checkElsewhere(
  game: Game,
  gameFile: string,
  exportName: string | undefined,
  matches: readonly PlayedMatch[],
  limitMs: number,
): Promise<CheckFailure | undefined> {
  const folder = mkdtempSync(join(tmpdir(), 'samestep-check-'))
  try {
    // Two at a time: whoever checks has other things running, too.
    for (const pair of [countries.slice(0, 2), countries.slice(2)]) {
      const found = await Promise.all(
        pair.map(async (country) => {
          const from = country === countries[0] ? 0 : Math.max(matches.length - 1, 0)
          const file = join(folder, `${country.LC_ALL}.json`)
          writeFileSync(file, JSON.stringify(packMatches(game, matches.slice(from))))
          await runChild(gameFile, exportName, file, country, limitMs)
          const { parting } = JSON.parse(readFileSync(file, 'utf8')) as Answer
          if (parting === null) return undefined
          const where = `another process, in ${country.TZ} with the language ${country.LC_ALL.slice(0, 2)},`
          const placed = { ...parting, match: parting.match + from }
          return explainParting(game, matches, placed, 'elsewhere', where)
        }),
      )
      const failure = found.find((each) => each !== undefined)
      if (failure !== undefined) return failure
    }
    return undefined
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

/** A child that takes longer than this many times the limit hangs. */
const childLimits = 20

function runChild(
  gameFile: string,
  exportName: string | undefined,
  file: string,
  country: (typeof countries)[number],
  limitMs: number,
): Promise<void> {
  const names = exportName === undefined ? [] : ['--export', exportName]
  const program = fileURLToPath(new URL('../main.js', import.meta.url))
  const isProduction = process.env.NODE_ENV === 'production'
  const env = {
    ...process.env,
    ...country,
    LANG: country.LC_ALL,
    USER: 'elsewhere',
    NODE_ENV: isProduction ? 'development' : 'production',
  }
  const args = [...process.execArgv, program, 'check', gameFile, '--elsewhere', file, ...names]
  return new Promise((resolve, reject) => {
    const child = spawn(process.execPath, args, {
      env,
      stdio: ['ignore', 'ignore', 'inherit'],
      timeout: limitMs * childLimits,
    })
    child.on('error', reject)
    child.on('close', (code, signal) => {
      if (code === 0) resolve()
      else reject(new Error(`The other process ended with ${signal ?? `code ${code}`}`))
    })
  })
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
