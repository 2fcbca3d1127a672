/**
 * Installs packages of this repository as a user gets them: packed by `npm pack` and unpacked into an
 * empty folder, with what their manifests declare and nothing else. No registry is asked: what they
 * depend on is linked from here, where it is installed already.
 */
import { execFileSync } from 'node:child_process'
import {
  chmodSync,
  existsSync,
  mkdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
} from 'node:fs'
import { dirname, join } from 'node:path'
import { root } from './programs.ts'

interface Manifest {
  readonly name: string
  /** A path alone is the command that is called as the package. */
  readonly bin?: string | { readonly [name: string]: string }
  readonly dependencies?: { readonly [name: string]: string }
  readonly optionalDependencies?: { readonly [name: string]: string }
}

/** Packs the package that lies in `packages/<name>`; gives the path of the tarball. Needs a build. */
export function packPackage(name: string, folder: string): string {
  const flags = ['--json', '--ignore-scripts', '--pack-destination', folder]
  const output = runNpm(['pack', join(root, 'packages', name), ...flags], folder)
  const [packed] = JSON.parse(output) as [{ readonly filename: string }]
  return join(folder, packed.filename)
}

/** Paths that `npm pack` would put into the tarball of `packages/<name>`. Needs a build. */
export function listPackedFiles(name: string): string[] {
  const folder = join(root, 'packages', name)
  const output = runNpm(['pack', '--dry-run', '--json', '--ignore-scripts'], folder)
  const [packed] = JSON.parse(output) as [{ readonly files: readonly { readonly path: string }[] }]
  return packed.files.map(({ path }) => path).sort()
}

/** Unpacks a tarball into `node_modules` of a folder, with its commands and dependencies. */
export function installTarball(tarball: string, folder: string): void {
  const modules = join(folder, 'node_modules')
  const unpacked = join(modules, '.unpacked')
  mkdirSync(unpacked, { recursive: true })
  execFileSync('tar', ['-xzf', tarball, '-C', unpacked])
  const manifest = readManifest(join(unpacked, 'package'))
  const target = join(modules, manifest.name)
  execFileSync('mv', [join(unpacked, 'package'), target])
  rmSync(unpacked, { recursive: true })
  linkCommands(folder, manifest, target)
  const wanted = { ...manifest.dependencies, ...manifest.optionalDependencies }
  for (const name of Object.keys(wanted)) linkInstalled(name, folder)
}

/** Links a package that is installed in this repository, with its commands. */
export function linkInstalled(name: string, folder: string): void {
  // ESLint's parser needs an older compiler than ours: both have a place of their own.
  const own = join(root, 'tools', 'eslint-host', 'node_modules', name)
  const isLinter = name === '@typescript-eslint/parser'
  const source = isLinter ? own : join(root, 'node_modules', name)
  const target = join(folder, 'node_modules', name)
  if (existsSync(target)) return
  mkdirSync(dirname(target), { recursive: true })
  symlinkSync(source, target, 'dir')
  linkCommands(folder, readManifest(source), target)
}

function linkCommands(folder: string, { name, bin = {} }: Manifest, target: string): void {
  const commands = join(folder, 'node_modules', '.bin')
  mkdirSync(commands, { recursive: true })
  for (const [command, path] of Object.entries(typeof bin === 'string' ? { [name]: bin } : bin)) {
    const program = join(target, path)
    // As npm does for what it unpacks; what is linked is so already, and not ours to change.
    if ((statSync(program).mode & 0o111) === 0) chmodSync(program, 0o755)
    if (!existsSync(join(commands, command))) symlinkSync(program, join(commands, command))
  }
}

function readManifest(folder: string): Manifest {
  return JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8')) as Manifest
}

/** Runs npm in a folder; gives what it prints. */
export function runNpm(args: readonly string[], folder: string): string {
  const npm = process.platform === 'win32' ? 'npm.cmd' : 'npm'
  return execFileSync(npm, [...args], {
    cwd: folder,
    encoding: 'utf8',
    stdio: ['ignore', 'pipe', 'pipe'],
  })
}
