/** A project of each kind, as somebody has it who installs the packed package. */

/** One project: what it installs besides the package, its files, and how it is built. */
export interface Project {
  readonly name: string
  /** Exact versions. */
  readonly dependencies: { readonly [name: string]: string }
  readonly files: { readonly [path: string]: string }
  /** The command that builds or runs it, with `npx`. */
  readonly command: readonly string[]
  /** Where the scripts for browsers are afterwards; without it, nothing is built and the command must print `ok`. */
  readonly output?: string
}

const game = `import { defineGame, fixed, table } from 'samestep'

export const game = defineGame({
  id: 'bundled', version: 1, tickRate: 30, seats: { min: 1, max: 2 },
  state: { dots: table(2, { x: fixed }) },
  orders: { move: { x: fixed } },
  setup({ state, seats }) { for (let seat = 0; seat < seats; seat++) state.dots.add() },
  step({ state, orders }) { for (const { seat, data } of orders) state.dots.x[seat] = data.x },
})
`

const page = `import { joinMatch, playLocal } from 'samestep'
import { showOverlay } from 'samestep/overlay'
import { joinMatchInWorker } from 'samestep/worker'
import { game } from './game.js'

Object.assign(globalThis, { joinMatchInWorker, join: () => joinMatch(game, { url: location.href, transport: 'webrtc' }) })
showOverlay(playLocal(game, { seed: 1 }))
`

const html =
  '<!doctype html><title>bundled</title><script type="module" src="/src/page.js"></script>'

/** Vite first: it is what the templates use. */
export const projects: readonly Project[] = [
  {
    name: 'vite',
    dependencies: { vite: '8.3.5' },
    files: { 'src/game.js': game, 'src/page.js': page, 'index.html': html },
    command: ['vite', 'build'],
    output: 'dist/assets',
  },
  {
    name: 'webpack',
    dependencies: { webpack: '5.112.2', 'webpack-cli': '7.3.1' },
    files: { 'src/game.js': game, 'src/page.js': page },
    command: [
      'webpack',
      '--mode',
      'production',
      '--entry',
      './src/page.js',
      '--output-path',
      'dist',
    ],
    output: 'dist',
  },
  {
    name: 'esbuild',
    dependencies: { esbuild: '0.28.2' },
    files: { 'src/game.js': game, 'src/page.js': page },
    command: [
      'esbuild',
      'src/page.js',
      '--bundle',
      '--splitting',
      '--format=esm',
      '--minify',
      '--define:process.env.NODE_ENV="production"',
      '--outdir=dist',
    ],
    output: 'dist',
  },
  {
    name: 'next',
    dependencies: { next: '16.4.6', react: '19.3.1', 'react-dom': '19.3.1' },
    files: {
      'app/game.js': game,
      'app/layout.js':
        'export default function Layout({ children }) { return <html lang="en"><body>{children}</body></html> }\n',
      'app/page.js': `'use client'
import { joinMatch, playLocal } from 'samestep'
import { useEffect } from 'react'
import { game } from './game.js'

export default function Page() {
  useEffect(() => {
    const match = playLocal(game, { seed: 1 })
    globalThis.join = () => joinMatch(game, { url: location.href })
    return () => match.close()
  }, [])
  return <p>bundled</p>
}
`,
    },
    command: ['next', 'build'],
    output: '.next/static',
  },
  {
    name: 'node',
    dependencies: {},
    files: {
      'game.js': game,
      'main.js': `import { fixed, joinMatch, runHeadless } from 'samestep'
import { startRelay } from 'samestep/server'
import { game } from './game.js'

const relay = await startRelay({ port: 0, log: false })
const match = await joinMatch(game, { url: relay.url, match: 'a', name: 'Ada', seats: 1 })
match.order('move', { x: fixed.fromInt(3) })
await runHeadless(match, { untilTick: 20 })
if (match.simulation.view.dots.x[0] !== fixed.fromInt(3)) throw new Error('the order was lost')
match.close()
await relay.close()
console.log('ok')
`,
    },
    command: ['node', 'main.js'],
  },
]
