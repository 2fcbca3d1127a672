/**
 * `npx tsx tools/plot-step-responses.ts`: plays the step responses of relay and clients in virtual
 * time, draws them into `docs/step-responses`, and puts their figures into `docs/smoothness.md`.
 */
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { drawScene, playAll, tabulate } from './step-response-pictures.ts'

/** The page that shows the pictures. */
export const pagePath = fileURLToPath(new URL('../docs/smoothness.md', import.meta.url))

/** Where a scene's picture is. */
export function picturePath(id: string): string {
  return fileURLToPath(new URL(`../docs/step-responses/${id}.svg`, import.meta.url))
}

const beginMark = '<!-- figures: written by tools/plot-step-responses.ts -->'
const endMark = '<!-- end of figures -->'

/** The page with these figures in the place that is marked for them. */
export function withFigures(page: string, table: string): string {
  const [before, rest] = page.split(beginMark)
  const after = rest?.split(endMark)[1]
  if (before === undefined || after === undefined) {
    throw new Error(`Cannot find the place of the figures: ${beginMark} … ${endMark}`)
  }
  return `${before}${beginMark}\n\n${table}\n${endMark}${after}`
}

/** Writes everything; gives the files that were written. */
function write(): string[] {
  const played = playAll()
  mkdirSync(fileURLToPath(new URL('../docs/step-responses', import.meta.url)), { recursive: true })
  const pictures = played.map((scene) => {
    const path = picturePath(scene.scene.id)
    writeFileSync(path, drawScene(scene))
    return path
  })
  writeFileSync(pagePath, withFigures(readFileSync(pagePath, 'utf8'), tabulate(played)))
  return [...pictures, pagePath]
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  process.stdout.write(`${write().join('\n')}\n`)
}
