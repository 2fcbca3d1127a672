/**
 * Checks the sound games for a long time: `npm run long -w samestep-example-broken -- 100000`. Words
 * behind the number choose games: `-- 100000 battle tag`. Exit code 1 when anything is found.
 */
import { setTimeout } from 'node:timers/promises'
import { type CheckFailure, checkGame } from 'samestep/check'
import { soundGames } from './sound.ts'

const [, , first, ...words] = process.argv
const ticks = Number(first ?? 100_000)
const chosen = soundGames.filter(
  ({ game }) => words.length === 0 || words.some((word) => game.id.includes(word)),
)
if (chosen.length === 0) {
  console.error(
    `There is no such game: they are ${soundGames.map(({ game }) => game.id).join(', ')}`,
  )
  process.exitCode = 2
}

/** As long as a match of `samestep check`. */
const matchTicks = 1_000

for (const { game, options } of chosen) {
  const before = performance.now()
  let played = 0
  let issued = 0
  let matches = 0
  let warnings = 0
  let failure: CheckFailure | undefined
  while (played < ticks && failure === undefined) {
    matches += 1
    const more = Math.min(matchTicks, ticks - played)
    const result = checkGame(game, { ticks: more, options, seed: matches })
    played += result.ticks
    warnings += result.warnings.length
    for (const count of Object.values(result.orders)) issued += count.issued
    failure = result.failure
    if (process.stderr.isTTY) process.stderr.write(`\r${game.id}: ${played} of ${ticks} ticks`)
    // Rapier gives back the memory of dropped worlds only in tasks after a collection.
    for (let round = 0; round < 2; round++) {
      globalThis.gc?.()
      await setTimeout(10)
    }
  }
  const seconds = (performance.now() - before) / 1_000
  if (process.stderr.isTTY) process.stderr.write('\r')
  console.log(
    `${game.id}: ${failure === undefined ? 'nothing found' : 'FAILED'} in ${played} ticks, ${matches} matches, ${issued} orders; ${Math.round(played / seconds)} ticks/s, ${warnings} warnings`,
  )
  if (failure === undefined) continue
  console.log(failure.text)
  process.exitCode = 1
}
