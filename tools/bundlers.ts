/**
 * `npm run test:bundlers [-- names…]`: the packed package in projects of Vite, webpack, esbuild, Next.js
 * and plain Node, each with a real `npm install`. Says how many bytes the scripts have, and fails where
 * one needs anything of Node. Takes minutes, and needs a registry.
 */
import { execFileSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { gzipSync } from 'node:zlib'
import { type Project, projects } from './bundlers/projects.ts'
import { packPackage, runNpm } from './packed-package.ts'
import { refuse } from './programs.ts'

const names = process.argv.slice(2)
const unknown = names.find((name) => !projects.some((project) => project.name === name))
if (unknown !== undefined) {
  refuse(`Cannot test '${unknown}': there are ${projects.map(({ name }) => name).join(', ')}`)
}
const chosen = projects.filter(({ name }) => names.length === 0 || names.includes(name))

const root = mkdtempSync(join(tmpdir(), 'samestep-bundlers-'))
try {
  const tarball = packPackage('samestep', root)
  for (const project of chosen) console.log(`${project.name}: ${testProject(project, tarball)}`)
} finally {
  rmSync(root, { recursive: true, force: true })
}

/** Builds a project; gives a sentence about what came out. */
function testProject(
  { name, dependencies, files, command, output }: Project,
  tarball: string,
): string {
  const folder = join(root, name)
  for (const [path, text] of Object.entries(files)) {
    mkdirSync(join(folder, dirname(path)), { recursive: true })
    writeFileSync(join(folder, path), text)
  }
  const manifest = { name: `with-${name}`, private: true, type: 'module', dependencies }
  writeFileSync(join(folder, 'package.json'), JSON.stringify(manifest))
  runNpm(['install', '--no-audit', '--no-fund', tarball], folder)
  const printed = execFileSync('npx', [...command], {
    cwd: folder,
    encoding: 'utf8',
    stdio: 'pipe',
  })
  if (output === undefined) {
    if (!printed.includes('ok')) throw new Error(`${name} printed: ${printed}`)
    return 'runs'
  }
  const scripts = readdirSync(join(folder, output), { recursive: true, encoding: 'utf8' })
    .filter((path) => path.endsWith('.js'))
    .map((path) => readFileSync(join(folder, output, path), 'utf8'))
  const foreign = scripts.map((code) => /(?:from|import)\s*\(?["'`](node:[a-z/]+)/.exec(code)?.[1])
  const [needed] = foreign.filter((module) => module !== undefined)
  if (needed !== undefined) throw new Error(`A script for browsers from ${name} needs ${needed}`)
  if (!scripts.some((code) => code.includes('bundled'))) throw new Error(`${name}: no game inside`)
  const bytes = scripts.reduce((sum, code) => sum + gzipSync(code).length, 0)
  return `${scripts.length} scripts, ${(bytes / 1_000).toFixed(1)} kB compressed`
}
