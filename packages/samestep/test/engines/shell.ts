import { spawn } from 'node:child_process'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { GroupedDigest } from '../digests/index.ts'
import type { Engine } from './engine.ts'

/** Before every line that is a digest, whatever else an engine may print. */
const linePrefix = 'digest:'

/** An engine that is a command: Node, or the shell of JavaScriptCore or SpiderMonkey. */
export function shellEngine(name: string, version: string, path: string): Engine {
  return {
    name,
    version,
    async run(script, count) {
      const folder = await mkdtemp(join(tmpdir(), 'samestep-engine-'))
      try {
        const file = join(folder, 'digests.cjs')
        await writeFile(file, `${script}\n${printingTail(count)}`)
        return parseLines(await runCommand(path, [file]))
      } finally {
        await rm(folder, { recursive: true, force: true })
      }
    },
    close: async () => {},
  }
}

/** Shells of engines have `print` and no console; Node has a console and no `print`. */
function printingTail(count: number): string {
  return `(typeof print === 'function' ? [print] : [console.log]).forEach(function (say) {
    samestepDigests(${count}).forEach(function (entry) { say('${linePrefix}' + JSON.stringify(entry)) })
  })`
}

/** The digests among the lines that a shell printed. */
export function parseLines(output: string): GroupedDigest[] {
  return output
    .split('\n')
    .filter((line) => line.startsWith(linePrefix))
    .map((line) => JSON.parse(line.slice(linePrefix.length)))
}

/** Runs a command to its end. Rejects with what it printed when it fails, or printed nothing. */
function runCommand(path: string, args: readonly string[]): Promise<string> {
  return new Promise((resolve, reject) => {
    const child = spawn(path, args, { stdio: ['ignore', 'pipe', 'pipe'] })
    let output = ''
    let errors = ''
    child.stdout.setEncoding('utf8').on('data', (text: string) => {
      output += text
    })
    child.stderr.setEncoding('utf8').on('data', (text: string) => {
      errors += text
    })
    child.on('error', reject)
    child.on('close', (code, signal) => {
      // JavaScriptCore's shell reports an exception on stdout, and SpiderMonkey's on stderr.
      if (code === 0 && output.includes(linePrefix)) resolve(output)
      else reject(new Error(`${path} ended with ${signal ?? code}: ${`${output}${errors}`.trim()}`))
    })
  })
}
