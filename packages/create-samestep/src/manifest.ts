import type { Answers, Template } from './answers.ts'

/** What every new game depends on. Exact, so that it starts next year as it does today. */
export const versions = {
  samestep: '0.1.0',
  '@typescript-eslint/parser': '8.72.2',
  eslint: '10.14.0',
  tsx: '4.23.15',
  // The last version that the parser for ESLint can use.
  typescript: '6.0.3',
  vite: '8.3.5',
  vitest: '4.1.12',
} as const

/** What a template depends on besides. */
export const ownVersions: { readonly [T in Template]: { readonly [name: string]: string } } = {
  minimal: {},
  lobby: { uqr: '0.1.3' },
  pixi: { 'pixi.js': '8.22.0' },
  phaser: { phaser: '4.2.1' },
}

/** `package.json`. */
export function manifestText({ name, template }: Answers): string {
  const { samestep, ...tools } = versions
  const manifest = {
    name,
    version: '0.0.0',
    private: true,
    type: 'module',
    scripts: {
      dev: 'vite',
      build: 'tsc && vite build',
      start: 'samestep relay --pages dist',
      test: 'vitest run',
      check: 'samestep check src/game.ts',
      lint: 'eslint .',
    },
    dependencies: { ...ownVersions[template], samestep },
    devDependencies: tools,
  }
  return `${JSON.stringify(manifest, null, 2)}\n`
}

/** How each template is played. */
const controls: { readonly [T in Template]: string } = {
  minimal: 'Click where your dots should go. Coins are points.',
  lobby:
    'Enter a name, send the link to a friend, press Ready. Then click where your dots should go: whoever has ten coins first wins.',
  pixi: 'Steer with the arrow keys, or with A, D and W. Stars are points.',
  phaser: 'Steer with the arrow keys, or with A, D and W. Stars are points.',
}

/** `README.md`. */
export function readmeText({ name, template }: Answers): string {
  const alone = template === 'lobby' ? '' : ' `/?seats=1` in the address plays alone.'
  const page =
    template === 'lobby'
      ? '| `src/room.ts`, `src/card.ts` | the room: players, ready, chat, invitation, messages |'
      : '| `src/page.ts` | which match to join, and what to show while it does not run |'
  return `# ${name}

    npm install
    npm run dev

Open the address that is printed in two windows.${alone} ${controls[template]}

| file | contents |
|---|---|
| \`src/game.ts\` | the game: its state, what players can do, and what happens in one tick |
| \`src/game.test.ts\` | its tests |
| \`src/main.ts\` | controls and drawing |
${page}
| \`vite.config.ts\` | starts a relay together with the dev server |

| command | what it does |
|---|---|
| \`npm run dev\` | starts the dev server and a relay; \`-- --host\` lets phones in your network join |
| \`npm test\` | runs the tests |
| \`npm run check\` | searches at length for anything that would make two machines disagree |
| \`npm run lint\` | finds the same kind of mistakes in the source, without running it |
| \`npm run build\` | type-checks, and writes the page to \`dist\` |
| \`npm start\` | serves \`dist\` and a relay, on one port |

In \`src/game.ts\` use no clocks, no \`Math.random\` and no \`Math.sin\`: every machine must compute the same. Use \`random\`, \`fixed\` and \`dmath\` instead.
`
}
