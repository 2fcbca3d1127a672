/**
 * Starts a tool of this folder on a machine that has only Node and npm: `node tools/launch.mjs test`.
 *
 * Plain JavaScript, because on a fresh clone nothing that understands TypeScript is installed yet.
 * Everything behind it is TypeScript, run by tsx.
 */
import { spawnSync } from 'node:child_process'
import { existsSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'

/** 20.19 is the first release in which `require` may load an ES module, as vite and vitest do. */
const nodeMin = { major: 20, minor: 19 }

const root = dirname(dirname(fileURLToPath(import.meta.url)))

/** @param {string} sentence @returns {never} */
function refuse(sentence) {
  process.stderr.write(`${sentence}\n`)
  process.exit(1)
}

/**
 * Runs a command in the repository, with this terminal, and returns its exit code.
 * @param {string} command @param {readonly string[]} args
 */
function run(command, args) {
  const { error, status } = spawnSync(command, args, { cwd: root, stdio: 'inherit' })
  if (error) refuse(`Cannot start ${command}: ${error.message}`)
  return status ?? 1
}

const [tool = '', ...args] = process.argv.slice(2)
const script = join(root, 'tools', `${tool}.ts`)
if (!/^[a-z-]+$/.test(tool) || !existsSync(script)) {
  refuse(`Cannot launch '${tool}': tools/${tool}.ts does not exist`)
}

const [major = 0, minor = 0] = process.versions.node.split('.').map(Number)
if (major < nodeMin.major || (major === nodeMin.major && minor < nodeMin.minor)) {
  refuse(
    `Cannot run on Node ${process.versions.node}: ${nodeMin.major}.${nodeMin.minor} is the oldest that works`,
  )
}

if (!existsSync(join(root, 'node_modules', '.package-lock.json'))) {
  process.stdout.write('Dependencies are not installed yet: npm ci\n')
  const npm = process.platform === 'win32' ? 'npm.cmd' : 'npm'
  if (run(npm, ['ci']) !== 0) refuse('Cannot go on: npm ci failed')
}

process.exit(run(process.execPath, ['--import', 'tsx', script, ...args]))
