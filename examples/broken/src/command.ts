/** Runs `samestep check` on a game of this folder, as its developer would. */
import { execFile } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { CheckFailure } from 'samestep/check'

const program = fileURLToPath(
  new URL('../../../packages/samestep/dist/cli/main.js', import.meta.url),
)
const here = fileURLToPath(new URL('..', import.meta.url))

/** What the command says with `--json`, and its exit code. */
export type Checked = {
  readonly code: number
  readonly report: { readonly ok: boolean; readonly failure?: CheckFailure }
}

/** At most two at a time: each of them is a process with work to do. */
let queue: Promise<unknown> = Promise.resolve()
let other: Promise<unknown> = Promise.resolve()

/** Checks one game, for a thousand ticks and a long match. */
export function checkByCommand(file: string): Promise<Checked> {
  const run = queue.then(() => runCommand(file))
  ;[queue, other] = [other, run.catch(() => {})]
  return run
}

async function runCommand(file: string): Promise<Checked> {
  const folder = mkdtempSync(join(tmpdir(), 'samestep-broken-'))
  const out = join(folder, 'reproduction.json')
  const args = [program, 'check', `src/${file}.ts`, '--ticks', '1000', '--long', '3000', '--here']
  try {
    return await new Promise((resolve, reject) => {
      execFile(
        process.execPath,
        [...args, '--json', '--out', out],
        { cwd: here, maxBuffer: 2 ** 26 },
        (error, stdout) => {
          const code = typeof error?.code === 'number' ? error.code : 0
          try {
            resolve({ code, report: JSON.parse(stdout) })
          } catch {
            reject(new Error(`${file}: no report, but ${stdout}`, { cause: error }))
          }
        },
      )
    })
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}
