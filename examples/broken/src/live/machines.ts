/** Machines that play broken games against each other: processes of Node, and a page in Chromium. */
import { fork } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { build } from 'esbuild'
import { chromium } from 'playwright-core'
import type { DesyncReport } from 'samestep'
import { chromiumOptions } from '../../../../tools/chromium.ts'
import type { Said, Task } from './player.ts'

/** Where a player runs. */
export type Machine = {
  readonly send: (task: Task) => void
  readonly close: () => Promise<void>
}

type Hear = (said: Said) => void

const urlOf = (name: string) => new URL(name, import.meta.url)

/** A process of Node with this environment, and with a module that is loaded before all else. */
export function startNode(
  env: { readonly [name: string]: string },
  hear: Hear,
  preload?: string,
): Machine {
  const imports = ['tsx', ...(preload === undefined ? [] : [urlOf(preload).href])]
  const child = fork(fileURLToPath(urlOf('./node-player.ts')), {
    execArgv: ['--enable-source-maps', ...imports.flatMap((name) => ['--import', name])],
    env: { ...process.env, ...env, NODE_ENV: 'production' },
  })
  child.on('message', (said) => hear(said as Said))
  const exited = new Promise<void>((resolve) => child.once('exit', () => resolve()))
  return {
    send: (task) => void child.send(task),
    async close() {
      if (child.connected) child.disconnect()
      await exited
    },
  }
}

/** A page: where its build is, and what its engine computes. */
export type PageMachine = Machine & {
  readonly folder: string
  readonly sample: (file: string) => Promise<readonly number[]>
}

/** A page in Chromium. Its script is a production build, with its source map beside it in `folder`. */
export async function startChromium(hear: Hear): Promise<PageMachine> {
  const folder = mkdtempSync(join(tmpdir(), 'samestep-broken-page-'))
  const outfile = join(folder, 'page.js')
  await build({
    entryPoints: [fileURLToPath(urlOf('./page-player.ts'))],
    outfile,
    bundle: true,
    format: 'iife',
    platform: 'browser',
    target: 'es2022',
    minify: true,
    sourcemap: true,
    logLevel: 'warning',
  })
  writeFileSync(join(folder, 'index.html'), '<!doctype html><script src="page.js"></script>')
  const browser = await chromium.launch(chromiumOptions())
  const page = await browser.newPage()
  await page.exposeFunction('say', hear)
  await page.goto(`file://${join(folder, 'index.html')}`)
  return {
    folder,
    sample: (file) => page.evaluate(`sample(${JSON.stringify(file)})`),
    send: (task) => void page.evaluate(`playTask(${JSON.stringify(task)})`),
    async close() {
      await browser.close()
      rmSync(folder, { recursive: true, force: true })
    },
  }
}

/** Who waits for what a machine says about a match. */
export class Ear {
  readonly #waiting = new Map<string, { tell(said: Said): void; fail(error: Error): void }>()

  readonly hear: Hear = (said) => {
    if (said.type !== 'failed') {
      this.#waiting.get(`${said.type} ${said.match}`)?.tell(said)
      return
    }
    this.#waiting.get(`report ${said.match}`)?.fail(new Error(said.message))
  }

  wait(type: Said['type'], match: string): Promise<Said> {
    return new Promise((tell, fail) => this.#waiting.set(`${type} ${match}`, { tell, fail }))
  }
}

/** A machine, and who hears it. */
export type Player = { readonly machine: Machine; readonly ear: Ear }

let matches = 0

/** Lets two machines play a game on a relay until both were told why they differ. */
export async function playApart(
  [first, second]: readonly [Player, Player],
  file: string,
  url: string,
  isLate: boolean,
): Promise<readonly [DesyncReport, DesyncReport]> {
  matches += 1
  const match = `${file}-${matches}`
  const reports = [first.ear.wait('report', match), second.ear.wait('report', match)] as const
  const isReady = first.ear.wait(isLate ? 'late' : 'seated', match)
  first.machine.send({ file, match, url, side: 0 })
  await Promise.race([isReady, ...reports])
  second.machine.send({ file, match, url, side: 1 })
  const said = (await Promise.all(reports)) as Extract<Said, { type: 'report' }>[]
  return said.map(({ report }) => report) as [DesyncReport, DesyncReport]
}
