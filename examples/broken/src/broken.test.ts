import { checkGame, replayCheck } from 'samestep/check'
import { describe, expect, test } from 'vitest'
import { exhibits, loadExhibit } from './zoo.ts'

describe('a broken game is found, named to its field and line, and told what is wrong', () => {
  test.each(exhibits)('$file: $cause', async ({ file, check, cause, where }) => {
    const { game, fresh, draw, line } = await loadExhibit(file)
    const { failure } = checkGame(game, { draw, fresh, ticks: 1_000 })
    expect(failure?.cause.id).toBe(cause)
    expect(failure?.check).toBe(check)
    const { part, field } = failure?.place ?? {}
    expect(`${part}.${field}`).toContain(where)
    expect(failure?.place?.values).toHaveLength(2)
    expect(failure?.site?.file).toMatch(new RegExp(`/${file}\\.ts$`))
    expect(failure?.site?.line).toBe(line)
    expect(failure?.text).toContain(failure?.cause.advice)
    // The small script shows the same again, where that does not take a new process.
    if (failure?.isReproduced !== true) return
    const again = replayCheck(game, JSON.parse(JSON.stringify(failure.reproduction)), {
      draw,
      fresh,
    })
    expect(again?.cause.id).toBe(cause)
    expect(again?.site?.line).toBe(line)
  })

  test('each of them is small in the end', async () => {
    const { game, fresh } = await loadExhibit('float-sequence')
    const { failure } = checkGame(game, { fresh, ticks: 1_000 })
    expect(failure?.foundAtTick).toBeGreaterThan(50)
    expect(failure?.reproduction.items.length).toBeLessThan(12)
    expect(failure?.reproduction.ticks).toBeLessThan(20)
  })
})
