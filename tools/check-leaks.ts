/** `npm run leaks`: no file of the repository names a machine or a download address. */
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { findLeaks } from './leaks.ts'
import { refuse, root } from './programs.ts'

/** What is never committed; the same as in .gitignore, and git's own folder. */
const skipped = new Set(['.git', 'node_modules', 'dist', '.cache', 'coverage'])

// The folder is walked instead of asking git, which refuses to answer in some CI containers.
function listFiles(folder: string): string[] {
  return readdirSync(join(root, folder), { withFileTypes: true }).flatMap((entry) => {
    const path = folder === '' ? entry.name : `${folder}/${entry.name}`
    if (skipped.has(entry.name)) return []
    if (entry.isDirectory()) return listFiles(path)
    return entry.isFile() ? [path] : []
  })
}

const paths = listFiles('')
const leaks = paths.flatMap((path) => {
  const text = readFileSync(join(root, path), 'utf8')
  // A zero byte means that the file is not text.
  return text.includes('\0') ? [] : findLeaks(path, text)
})
if (leaks.length > 0) {
  refuse(leaks.map(({ path, line, message }) => `${path}:${line}: ${message}`).join('\n'))
}
process.stdout.write(`${paths.length} files name no machine and no download address\n`)
