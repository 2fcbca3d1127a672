import { expect, test } from 'vitest'
import { UsageError } from '../../base/errors.ts'
import { fixed } from '../../sim/fixed.ts'
import { siteOfCaller, siteOfError, siteText } from './game-site.ts'

/** The error that a function throws. */
function thrown(run: () => unknown): unknown {
  try {
    run()
  } catch (error) {
    return error
  }
  return undefined
}

test('the line of an error is the first that is not the library’s', () => {
  const error = thrown(() => fixed.check('much', 'units.x'))
  expect(error).toBeInstanceOf(UsageError)
  expect(siteOfError(error)?.file).toMatch(/check\/causes\/game-site\.test\.ts$/)
})

test('what is no error has no line', () => {
  expect(siteOfError('oh')).toBeUndefined()
  expect(siteOfError(undefined)).toBeUndefined()
})

test('a function can ask who called it', () => {
  const asked = () => siteOfCaller(asked)
  function caller() {
    return asked()
  }
  const { site, within } = caller()
  expect(within).toBeUndefined()
  expect(site?.file).toMatch(/game-site\.test\.ts$/)
  expect(site?.functionName).toBe('caller')
})

test('a place is written from the working directory, where terminals find it', () => {
  const site = { file: `${process.cwd()}/src/game.ts`, line: 3, column: 7, functionName: '' }
  expect(siteText(site)).toBe('src/game.ts:3:7')
  expect(siteText({ ...site, file: '/elsewhere/game.ts' })).toBe('/elsewhere/game.ts:3:7')
})
