import type { Answers } from '../answers.ts'

/** What a new game depends on. Exact, so that it starts next year as it does today. */
export const versions = {
  samestep: '0.1.0',
  tsx: '4.23.15',
  typescript: '7.0.2',
  vite: '8.3.5',
  vitest: '4.1.12',
} as const

/** `package.json`. */
export function manifestText({ name }: Answers): string {
  const manifest = {
    name,
    version: '0.0.0',
    private: true,
    type: 'module',
    scripts: {
      dev: 'vite',
      build: 'tsc && vite build',
      test: 'vitest run',
      check: 'samestep check src/game.ts',
      relay: 'samestep relay',
    },
    dependencies: { samestep: versions.samestep },
    devDependencies: {
      // Before Node 22.18, `samestep check` needs it to read the game.
      tsx: versions.tsx,
      typescript: versions.typescript,
      vite: versions.vite,
      vitest: versions.vitest,
    },
  }
  return `${JSON.stringify(manifest, null, 2)}\n`
}

/** `tsconfig.json`. */
export function compilerText(): string {
  const options = {
    target: 'ES2023',
    module: 'ESNext',
    moduleResolution: 'bundler',
    lib: ['ES2023', 'DOM', 'DOM.Iterable'],
    types: [],
    strict: true,
    noEmit: true,
    allowImportingTsExtensions: true,
    verbatimModuleSyntax: true,
    erasableSyntaxOnly: true,
    skipLibCheck: true,
  }
  return `${JSON.stringify({ compilerOptions: options, include: ['src'] }, null, 2)}\n`
}

/** `.gitignore`. */
export function ignoreText(): string {
  return 'node_modules/\ndist/\n'
}

/** `index.html`. */
export function pageText({ name }: Answers): string {
  return `<!doctype html>
<html lang="en">
  <head>
    <meta charset="utf-8" />
    <meta name="viewport" content="width=device-width, initial-scale=1" />
    <title>${name}</title>
    <style>
      body { margin: 0; display: grid; place-items: center; min-height: 100vh; background: #14161c; color: #dde; font: 16px system-ui, sans-serif; }
      canvas { width: min(96vw, 90vh); background: #1d2029; border-radius: 8px; touch-action: none; }
      pre { margin: 0; max-width: 96vw; color: #f96; white-space: pre-wrap; }
    </style>
  </head>
  <body>
    <canvas width="1024" height="1024"></canvas>
    <p></p>
    <progress hidden></progress>
    <pre role="alert"></pre>
    <script type="module" src="/src/main.ts"></script>
  </body>
</html>
`
}

/** `src/game.test.ts`: a short run of everything that `npm run check` does at length. */
export function testText(ownTest: string): string {
  return `import { assertDeterministic, assertReloads, simulate } from 'samestep/check'
import { expect, test } from 'vitest'
import { game } from './game.ts'

test('every machine computes the same', () => {
  assertDeterministic(game, { ticks: 200 })
})

test('who loads a snapshot goes on like everybody else', () => {
  assertReloads(game, { ticks: 200 })
})

${ownTest}`
}

/** The lines of `src/main.ts` that start a match: the ones to change for playing with others. */
export const matchText = `// What goes wrong is on the page, and with its stack in the browser's console.
const problem = document.querySelector('pre')!
addEventListener('error', ({ message }) => {
  problem.textContent = message
})

// Alone and at once. To play with others, run a relay (npm run relay) and change this line to
//   const match = await joinMatch(game, { url: 'ws://localhost:7777', match: 'friday', name: 'Ada', seats: 2 })
// with joinMatch in place of playLocal in the import above; it starts when all seats are taken.
const match = playLocal(game, { seed: Date.now() })
match.on('fault', ({ where, name, tick, count, error }) => {
  problem.textContent = \`\${where} '\${name}' threw at tick \${tick} (\${count} so far): \${error}\`
})
match.on('closed', ({ message }) => {
  problem.textContent = message
})
`

/** The lines of `src/main.ts` that draw how somebody comes into a match that runs. */
export const joinBarText = `const bar = document.querySelector('progress')!

/** What to read while there is nothing to play, and how far that is; '' in play. */
function showJoin(): string {
  const state = match.playState()
  bar.hidden = state.name !== 'downloading' && state.name !== 'catching-up'
  switch (state.name) {
    case 'connecting':
    case 'authorised':
      return 'Joining'
    case 'waiting':
      return 'Waiting for the others'
    case 'downloading':
      bar.value = state.bytes / Math.max(state.bytesTotal, 1)
      return 'Fetching the match'
    case 'loading':
      return 'Loading the match'
    case 'catching-up':
      bar.value = state.progress
      return 'Catching up'
    default:
      return ''
  }
}
`

/** `README.md`. */
export function readmeText({ name, template }: Answers): string {
  const how = {
    orders: 'Click where your dots should go. Coins are points.',
    inputs: 'Steer with the arrow keys or with A, D and W. Stars are points.',
  }[template]
  return `# ${name}

    npm install
    npm run dev

${how}

| file | holds |
|---|---|
| \`src/game.ts\` | the game: its state, what players can do, and what happens in one tick |
| \`src/game.test.ts\` | its tests |
| \`src/main.ts\` | the page: controls and drawing |

| command | does |
|---|---|
| \`npm run dev\` | plays it in a browser, alone and offline |
| \`npm test\` | tests it |
| \`npm run check\` | looks at length for whatever would make two machines disagree |
| \`npm run relay\` | lets others join; \`src/main.ts\` says which line to change |
| \`npm run build\` | makes the files to put on a server, in \`dist\` |

In \`src/game.ts\`, no clocks, no \`Math.random\`, no \`Math.sin\`: every machine must compute the same. Use \`random\`, \`fixed\` and \`dmath\` instead.
`
}
