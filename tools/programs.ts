import { spawnSync } from 'node:child_process'
import { accessSync, constants } from 'node:fs'
import { delimiter, isAbsolute, join } from 'node:path'

/** The top of the repository, where every tool runs its commands. */
export const root = join(import.meta.dirname, '..')

/** Ends a tool with one sentence for the person who started it, instead of a stack trace. */
export function refuse(sentence: string): never {
  process.stderr.write(`${sentence}\n`)
  process.exit(1)
}

/** Runs a command with this terminal. Returns its exit code; a command that cannot start is 127. */
export function runInherited(
  command: string,
  args: readonly string[],
  env: NodeJS.ProcessEnv = process.env,
): number {
  const { error, status } = spawnSync(command, args, { cwd: root, stdio: 'inherit', env })
  if (error) process.stderr.write(`Cannot start ${command}: ${error.message}\n`)
  return error ? 127 : (status ?? 1)
}

/** Runs an npm script of the root package; ends the tool when it fails. */
export function runScript(name: string): void {
  const npm = process.platform === 'win32' ? 'npm.cmd' : 'npm'
  if (runInherited(npm, ['run', '--silent', name]) !== 0)
    refuse(`Cannot go on: npm run ${name} failed`)
}

/** The first of `candidates` that can be executed: absolute paths, or names looked up on PATH. */
export function findProgram(candidates: readonly string[]): string | undefined {
  const folders = (process.env.PATH ?? '').split(delimiter)
  for (const candidate of candidates) {
    const paths = isAbsolute(candidate)
      ? [candidate]
      : folders.map((folder) => join(folder, candidate))
    const found = paths.find(isExecutable)
    if (found !== undefined) return found
  }
  return undefined
}

function isExecutable(path: string): boolean {
  try {
    accessSync(path, constants.X_OK)
    return true
  } catch {
    return false
  }
}

/** A program from outside npm, and how a Debian-like machine gets it. */
export type Program = {
  /** For the sentences that a person reads. */
  readonly name: string
  /** Absolute paths, or names to look up on PATH; the first that exists wins. */
  readonly candidates: readonly string[]
  readonly debianPackages: readonly string[]
}

/**
 * Finds a program, installing it first when that is possible without asking: as root, with apt.
 *
 * Never returns without the program. A test that quietly skips its browser is worse than one that
 * fails, because nobody notices the day it stops running.
 */
export function ensureProgram(program: Program): string {
  const found = findProgram(program.candidates)
  if (found !== undefined) return found
  const packages = program.debianPackages.join(' ')
  const isRoot = process.getuid?.() === 0
  if (!isRoot || findProgram(['apt-get']) === undefined) {
    refuse(
      `Cannot find ${program.name}: install it (Debian: apt-get install ${packages}), then run this again`,
    )
  }
  process.stdout.write(`${program.name} is missing: installing ${packages}\n`)
  installDebianPackages(program.debianPackages)
  return (
    findProgram(program.candidates) ??
    refuse(
      `Cannot find ${program.name} although ${packages} is installed: looked for ${program.candidates.join(', ')}`,
    )
  )
}

function installDebianPackages(packages: readonly string[]): void {
  const env = { ...process.env, DEBIAN_FRONTEND: 'noninteractive' }
  // A stale package list still installs most things, so only the second command decides.
  runInherited('apt-get', ['update', '-q'], env)
  const patience = 'DPkg::Lock::Timeout=300'
  const quiet = 'Dpkg::Use-Pty=0'
  const args = [
    'install',
    '-y',
    '-q',
    '--no-install-recommends',
    '-o',
    patience,
    '-o',
    quiet,
    ...packages,
  ]
  if (runInherited('apt-get', args, env) !== 0)
    refuse(`Cannot install ${packages.join(' ')}: apt-get failed`)
}
