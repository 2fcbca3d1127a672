/** Shows what `samestep check` says about every broken game: `npm start -w samestep-example-broken`. */
import { checkGame } from 'samestep/check'
import { exhibits, loadExhibit } from './zoo.ts'

process.setSourceMapsEnabled(true)

for (const { file } of exhibits) {
  const { game, fresh, draw } = await loadExhibit(file)
  const { failure } = checkGame(game, { draw, fresh, ticks: 1_000 })
  console.log(`${file}\n\n${failure?.text ?? 'Nothing found.'}\n`)
}
