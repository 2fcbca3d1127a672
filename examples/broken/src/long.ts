/**
 * Checks the sound games for a long time: `npm run long -w samestep-example-broken -- 100000`. Words
 * behind the number choose games: `-- 100000 battle tag`. Exit code 1 when anything is found.
 */
import { checkGame } from 'samestep/check'
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

for (const { game, options } of chosen) {
  const before = performance.now()
  const { ok, failure, warnings, matches, orders } = checkGame(game, { ticks, options, seed: 1 })
  const seconds = (performance.now() - before) / 1_000
  const issued = Object.values(orders).reduce((sum, count) => sum + count.issued, 0)
  console.log(
    `${game.id}: ${ok ? 'nothing found' : 'FAILED'} in ${ticks} ticks, ${matches} matches, ${issued} orders; ${Math.round(ticks / seconds)} ticks/s, ${warnings.length} warnings`,
  )
  if (failure === undefined) continue
  console.log(failure.text)
  process.exitCode = 1
}
