import { readdirSync, readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import type { Answers } from './answers.ts'
import { manifestText, readmeText } from './manifest.ts'

/** Where the files of the templates lie: beside `src`, and beside `dist` in the published package. */
const folder = fileURLToPath(new URL('../templates/', import.meta.url))

/** The name that the templates use for the game. */
const placeholder = 'my-game'

/**
 * Every file of a new game, by its path with slashes: those of the template over those that all
 * templates share. The same answers give the same files.
 */
export function generateFiles(answers: Answers): ReadonlyMap<string, string> {
  const files = new Map([
    ['package.json', manifestText(answers)],
    ['README.md', readmeText(answers)],
  ])
  for (const part of ['common', answers.template]) {
    for (const [path, text] of readFolder(`${folder}${part}`)) {
      files.set(path, text.replaceAll(placeholder, answers.name))
    }
  }
  // What the lobby does instead is in files of its own.
  if (answers.template === 'lobby') files.delete('src/page.ts')
  return files
}

function readFolder(root: string): [path: string, text: string][] {
  return readdirSync(root, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map(({ parentPath, name }) => {
      const file = `${parentPath}/${name}`
      const path = file.slice(root.length + 1).replaceAll('\\', '/')
      // npm leaves files of that name out of packages.
      return [path.replace(/^_gitignore$/, '.gitignore'), readFileSync(file, 'utf8')] as [
        string,
        string,
      ]
    })
    .sort(([one], [other]) => (one < other ? -1 : 1))
}
