import { readFileSync } from 'node:fs'
import { Command } from 'commander'
import { UsageError } from '../../base/errors.ts'
import type { ContentManifest } from '../../sim/game/definition/content.ts'
import { contentFault } from '../../sim/game/definition/content.ts'
import { contentOfFiles } from './content-files.ts'

/** Flags of `samestep content`, as commander gives them. */
interface Flags {
  readonly root: string
  readonly fold?: true
  readonly check?: string
}

/** `samestep content`. */
export function makeContentCommand(): Command {
  return new Command('content')
    .description(
      'Hashes the files that a simulation depends on, for the option content of defineGame or joinMatch',
    )
    .argument('<files...>', 'files, or folders of files')
    .option('--root <folder>', 'folder that names are relative to', '.')
    .option('--fold', 'make one entry for each folder, for more than 64 files')
    .option('--check <manifest>', 'compare with an earlier manifest')
    .addHelpText('after', help)
    .action(runContentCommand)
}

const help = `
Examples:
  npx samestep content --root public public/maps public/rules.json > content.json
  npx samestep content --root public public/maps public/rules.json --check content.json

The game passes it to defineGame({ …, content }). A player with different files is refused with their
names. Files in folders whose names start with a dot are ignored.

Exit code 0; with --check, 1 for files that differ; 2 for files that cannot be read or named.`

function runContentCommand(paths: readonly string[], flags: Flags): void {
  const content = contentOfFiles(paths, { root: flags.root, fold: flags.fold === true })
  if (flags.check === undefined) {
    process.stdout.write(`${JSON.stringify(content, null, 2)}\n`)
    return
  }
  const lines = compare(readManifest(flags.check), content)
  process.stdout.write(lines.map((line) => `${line}\n`).join(''))
  if (lines.length > 0) process.exitCode = 1
}

function readManifest(file: string): ContentManifest {
  const content = parse(readFileSync(file, 'utf8'))
  const fault = contentFault(content)
  if (fault === undefined) return content as ContentManifest
  throw new UsageError('SS_BAD_VALUE', `Cannot compare with ${file}: ${fault}`)
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

/** A line for each file that is not as the manifest says. */
function compare(expected: ContentManifest, found: ContentManifest): string[] {
  const names = [...new Set([...Object.keys(expected), ...Object.keys(found)])].sort()
  return names.flatMap((name) => {
    if (expected[name] === found[name]) return []
    if (found[name] === undefined) return [`missing  ${name}`]
    return [expected[name] === undefined ? `new      ${name}` : `differs  ${name}`]
  })
}
