import { checkGame, replayCheck } from 'samestep/check'
import { describe, expect, test } from 'vitest'
import { checkByCommand } from './command.ts'
import { commandExhibits, exhibits, loadExhibit, markedLine } from './zoo.ts'

describe('a broken game is found, named to its field and line, and told what is wrong', () => {
  test.each(exhibits)('$file: $cause', async ({ file, check, cause, where, line: kind }) => {
    const { game, fresh, draw, line } = await loadExhibit(file)
    const { failure } = checkGame(game, { draw, fresh, ticks: 1_000 })
    expect(failure?.cause.id).toBe(cause)
    expect(failure?.check).toBe(check)
    expect(failure?.siteKind).toBe(kind)
    if (where === '') {
      // What throws has written nothing.
      expect(failure?.place).toBeUndefined()
    } else {
      const { part, field } = failure?.place ?? {}
      expect(`${part}.${field}`).toContain(where)
      expect(failure?.place?.values).toHaveLength(2)
    }
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

describe.concurrent('a broken game is found by the command, which loads it anew', () => {
  const viaCommand = [...commandExhibits, ...exhibits.filter(({ file }) => file === 'module-cache')]
  test.each(viaCommand)('$file: $cause', async ({ file, check, cause, where, ...more }) => {
    const { code, report } = await checkByCommand(file)
    const { failure } = report
    expect(failure?.cause.id).toBe(cause)
    expect(failure?.check).toBe(check)
    expect(`${failure?.place?.part}.${failure?.place?.field}`).toContain(where)
    expect(failure?.site?.file).toMatch(new RegExp(`/${file}\\.ts$`))
    expect(failure?.site?.line).toBe(markedLine(file))
    expect(failure?.siteKind).toBe(more.line)
    expect(failure?.text).toContain(`line     src/${file}.ts:${markedLine(file)}:`)
    const names = failure?.variables.map(({ name }) => name)
    if (more.variable !== undefined) expect(names).toEqual([more.variable])
    expect(failure?.isReproduced).toBe(true)
    expect(code).toBe(1)
  })
})
