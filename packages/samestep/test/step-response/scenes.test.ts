import { readdirSync, readFileSync } from 'node:fs'
import { dirname } from 'node:path'
import { describe, expect, test } from 'vitest'
import { pagePath, picturePath, withFigures } from '../../../../tools/plot-step-responses.ts'
import { drawScene, playAll, tabulate } from '../../../../tools/step-response-pictures.ts'
// One file for all that is asked of a scene: playing them takes longer than anything else here.
import './hidden-tab.ts'
import './jitter-bursts.ts'
import './latency-step.ts'
import './slow-machine.ts'

// If one of these fails after a change of relay or client: `npx tsx tools/plot-step-responses.ts`,
// and look at what moved.
describe('docs/smoothness.md', () => {
  const played = playAll()

  test.each(played.map((one) => [one.scene.id, one] as const))(
    'the picture %s is what is drawn today',
    (id, one) => {
      // Not toBe: a difference of 60 kB of SVG helps nobody.
      expect(readFileSync(picturePath(id), 'utf8') === drawScene(one)).toBe(true)
    },
  )

  test('there is no picture without a scene', () => {
    const known = played.map(({ scene }) => `${scene.id}.svg`).sort()
    expect(readdirSync(dirname(picturePath('any'))).sort()).toEqual(known)
  })

  test('its figures are those of today', () => {
    const page = readFileSync(pagePath, 'utf8')
    expect(page).toBe(withFigures(page, tabulate(played)))
  })

  test('it shows every picture', () => {
    const page = readFileSync(pagePath, 'utf8')
    for (const { scene } of played) expect(page).toContain(`](step-responses/${scene.id}.svg)`)
  })
})

describe('withFigures', () => {
  test('a page without a place for them is refused', () => {
    expect(() => withFigures('# Page\n', 'table')).toThrow('Cannot find the place')
  })
})
