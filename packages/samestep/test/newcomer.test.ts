/**
 * Somebody's first day: an empty folder, the packed packages, what the README says, and the mistakes
 * that everybody makes. Every sentence that is printed on the way is here, as it is read.
 */
import { type ChildProcess, execFileSync, spawn } from 'node:child_process'
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { installTarball, packPackage } from '../../../tools/packed-package.ts'

const root = join(import.meta.dirname, '..', '..', '..')
const readme = readFileSync(join(root, 'README.md'), 'utf8')
const blocks = [...readme.matchAll(/```js\n([\s\S]*?)```/g)].map(([, code = '']) => code)

let folder = ''
const running: ChildProcess[] = []

beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'samestep-newcomer-'))
  installTarball(packPackage('samestep', folder), folder)
  installTarball(packPackage('create-samestep', folder), folder)
  for (const code of blocks) {
    const [, file] = /^\/\/ (\S+\.mjs)\n/.exec(code) ?? []
    if (file !== undefined) writeFileSync(join(folder, file), code)
  }
}, 120_000)

afterAll(() => {
  for (const child of running) child.kill()
  rmSync(folder, { recursive: true, force: true })
})

interface Ran {
  readonly code: number | null
  readonly out: string
  readonly complaints: string
}

/** Runs Node in the folder, as a newcomer's terminal would: nothing is set that they did not set. */
function run(args: readonly string[], cwd = folder): Promise<Ran> {
  const { NODE_ENV: _, VITEST: __, NODE_OPTIONS: ___, ...env } = process.env
  return new Promise((resolve) => {
    const stdio = ['ignore', 'pipe', 'pipe'] as const
    const child = spawn(process.execPath, [...args], { cwd, env, stdio: [...stdio] })
    running.push(child)
    const texts = { out: '', complaints: '' }
    child.stdout.on('data', (bytes) => {
      texts.out += bytes
    })
    child.stderr.on('data', (bytes) => {
      texts.complaints += bytes
    })
    child.on('close', (code) => resolve({ code, ...texts }))
  })
}

/** Writes a script and runs it. */
function script(name: string, text: string): Promise<Ran> {
  writeFileSync(join(folder, name), text)
  return run([name])
}

/** What is tried one after the other, each with a line `name: what came of it`. */
const tell = `
const tell = async (name, attempt) => {
  try {
    const result = await attempt()
    console.log(name + ': ' + (result?.status ?? result))
  } catch (error) {
    console.log(name + ': ' + error.name + ' ' + (error.code ?? error.reason) + ': ' + error.message)
  }
}
`

function linesOf({ out }: Ran): { readonly [name: string]: string } {
  const pairs = [...out.matchAll(/^(\w+): (.*)$/gm)].map(([, name, text]) => [name, text])
  return Object.fromEntries(pairs)
}

const bin = (name: string): string => join(folder, 'node_modules', '.bin', name)

describe.concurrent('the quick start', () => {
  test('runs in JavaScript as pasted, and prints what its comment says', async () => {
    const { code, out, complaints } = await run(['play.mjs'])
    expect(complaints).toBe('')
    expect(out).toMatch(/^jumped: \{ result: 'executed', tick: 3\d \}\ntick 60: [0-9a-f]{16}\n$/)
    expect(code).toBe(0)
  })

  test('compiles in strict TypeScript as pasted, and runs the same', {
    timeout: 120_000,
  }, async () => {
    const project = join(folder, 'typed')
    mkdirSync(project)
    for (const name of ['game', 'play']) {
      writeFileSync(join(project, `${name}.mts`), readFileSync(join(folder, `${name}.mjs`), 'utf8'))
    }
    const compilerOptions = {
      strict: true,
      noEmitOnError: true,
      target: 'es2022',
      module: 'nodenext',
      lib: ['es2022', 'dom'],
      types: [],
    }
    writeFileSync(join(project, 'tsconfig.json'), JSON.stringify({ compilerOptions }))
    const compiler = join(root, 'node_modules', 'typescript', 'bin', 'tsc')
    expect(await run([compiler, '-p', project])).toEqual({ code: 0, out: '', complaints: '' })
    const { code, out } = await run([join(project, 'play.mjs')])
    expect(out).toMatch(/tick 60: [0-9a-f]{16}\n$/)
    expect(code).toBe(0)
  })

  test('passes its own check', { timeout: 120_000 }, async () => {
    const args = ['check', 'game.mjs', '--ticks', '200', '--long', '0', '--here']
    const { code, out } = await run([bin('samestep'), ...args])
    expect(out).toMatch(/✓ every value fits the cell that it is written to\n/)
    expect(out).toMatch(/\nNothing differed\.\n$/)
    expect(code).toBe(0)
  })
})

describe.concurrent('npm create samestep', () => {
  test('makes a game, says what to do next, and takes no folder that is in use', async () => {
    const args = [bin('create-samestep'), 'my-game', '--template', 'minimal', '--yes']
    expect(await run(args)).toEqual({
      code: 0,
      out: '\nmy-game is ready. Now:\n\n  cd my-game\n  npm install\n  npm run dev\n\n',
      complaints: '',
    })
    const game = join(folder, 'my-game')
    const { scripts } = JSON.parse(readFileSync(join(game, 'package.json'), 'utf8'))
    expect(Object.keys(scripts)).toEqual(expect.arrayContaining(['dev', 'test', 'check', 'start']))
    expect(readdirSync(join(game, 'src'))).toContain('game.ts')
    expect(await run(args)).toEqual({
      code: 1,
      out: '',
      complaints: `Cannot use ${game}: it is not empty (.gitignore, README.md, eslint.config.js)\n`,
    })
  })

  test('says what to write where it cannot ask', async () => {
    expect(await run([bin('create-samestep')])).toEqual({
      code: 2,
      out: '',
      complaints: 'Cannot ask: this is no terminal. Name a folder and a template, or say --yes\n',
    })
  })
})

describe.concurrent('a game with a mistake in it', () => {
  const oops = (rules: string): string => `
import { defineGame, playLocal, fixed } from 'samestep'
import { dots } from './game.mjs'
const { step, ...rest } = dots.definition
const game = defineGame({ ...rest, id: 'oops', ${rules} })
const match = playLocal(game)
for (let now = 0; now <= 200; now += 16) match.advance(now)
console.log(match.status, match.simulation.tick > 3)
`

  test('that throws is shown once, with its line, and played on', async () => {
    const { code, out, complaints } = await script(
      'throws.mjs',
      oops('step({ state }) {\n  state.dots.hp[0] -= 1\n}'),
    )
    expect([code, out]).toEqual([0, 'active true\n'])
    expect(complaints).toMatch(
      /^\[samestep\] step threw at tick 1; the match continues without it\. TypeError: Cannot read properties of undefined \(reading '0'\)/,
    )
    expect(complaints).toMatch(/throws\.mjs:6:14/)
    expect(complaints.match(/\[samestep\]/g)).toHaveLength(1)
  })

  test('that cannot be set up ends with the error itself', async () => {
    const { code, complaints } = await script(
      'unready.mjs',
      oops("step() {}, setup() { throw new RangeError('no map') }"),
    )
    expect(complaints).toMatch(
      /^\[samestep\] setup threw at tick 0; the match cannot be played\. RangeError: no map/,
    )
    expect(complaints).toMatch(/\nRangeError: no map\n {4}at Object\.setup .*unready\.mjs:5:/)
    expect(code).toBe(1)
  })

  test('that writes half of a 65 536th is told what a fixed is', async () => {
    const { code, complaints } = await script(
      'half.mjs',
      oops('step({ state }) {\n  state.dots.x[0] += 0.5\n}'),
    )
    expect(complaints).toMatch(
      /^\[samestep\] Cannot keep \d+\.5 in dots\.x\[0\] \(fixed, whole numbers from -2147483648 to 2147483647\), written by step: it became \d+; a fixed-point number is a count of 65 536ths: write fixed\.from\(\d+\.5\) for the number itself, or Math\.trunc\(…\) after a division \(tick 1\)/,
    )
    expect(complaints).toMatch(/half\.mjs:6:/)
    expect(code).toBe(0)
  })

  test('that asks for chance is stopped with what to use', async () => {
    const { code, complaints } = await script(
      'chance.mjs',
      oops('step({ state }) {\n  state.dots.x[0] = Math.random() * 9\n}'),
    )
    expect(complaints).toMatch(
      /UsageError: Cannot call Math\.random in step of 'oops' at tick 1: .*use random\.below\(n\)/,
    )
    expect(code).toBe(1)
  })
})

test('what is called in a wrong way says what there is', async () => {
  const ran = await script(
    'mistakes.mjs',
    `
import { defineGame, joinMatch, playLocal, u8 } from 'samestep'
import { dots } from './game.mjs'
${tell}
const match = playLocal(dots)
await tell('event', () => match.on('tikc', () => {}))
await tell('time', () => match.advance())
await tell('order', () => match.order('jmp', {}))
await tell('field', () => match.order('jump', { x: 1 }))
await tell('value', () => match.order('jump', { x: 0.5, y: 1 }))
await tell('input', () => match.input({ dx: 5 }))
await tell('action', () => match.act({ type: 'paus' }))
await tell('part', () => match.act({ type: 'say', text: 'hi' }))
await tell('state', () => defineGame({ ...dots.definition, state: { n: u8 } }))
await tell('id', () => defineGame({ ...dots.definition, id: 'My Game' }))
await tell('address', () => joinMatch(dots, { url: 'localhost:7777', match: 'a', name: 'b' }))
await tell('seats', () => joinMatch(dots, { url: 'ws://localhost:1', match: 'a', name: 'b', seats: 9 }))
await tell('match', () => joinMatch(dots, { url: 'ws://localhost:1', match: 'x'.repeat(65), name: 'b' }))
await tell('players', () => playLocal(dots, { seats: 2, players: 3 }))
match.close()
await tell('closed', () => match.order('jump', { x: 1, y: 1 }))
`,
  )
  expect(ran.complaints).toBe('')
  expect(linesOf(ran)).toEqual({
    event: `UsageError SS_BAD_ARGUMENT: Cannot listen for 'tikc': the events are aborted, blame, bot, closed, debug-wish, denied, desync, fallback, fault, input-missed, launched, order, presence, room, said, seat, stats, status, tick, transport, vote`,
    time: `UsageError SS_BAD_ARGUMENT: Cannot advance to undefined: pass the time of the frame in ms, as requestAnimationFrame((now) => match.advance(now)) does, or performance.now()`,
    order: `UsageError SS_BAD_ORDER: Cannot issue order 'jmp': the orders are jump`,
    field: `UsageError SS_BAD_VALUE: Cannot use jump.y: it is undefined; it must be a whole number from -2147483648 to 2147483647`,
    value: `UsageError SS_BAD_VALUE: Cannot use jump.x: it is 0.5; it must be a whole number from -2147483648 to 2147483647, as fixed.from(0.5) gives one`,
    input: `UsageError SS_BAD_VALUE: Cannot use input.dx: it is 5; it must be a whole number from -1 to 1`,
    action: `UsageError SS_BAD_ARGUMENT: Cannot act 'paus': the actions are add-bot, cancel, cast, choose-team, give-ownership, hand-over, kick, leave-seat, lock-seat, mute, pause, propose, reclaim-seat, remove-bot, report-load, resume, say, set-late-join, set-options, set-ready, set-speed, set-visibility, start, take-seat`,
    part: `UsageError SS_BAD_VALUE: Cannot act 'say': scope is missing, as in { type: 'say', scope: "all" }`,
    state: `UsageError SS_BAD_DEFINITION: Cannot use the field u8 as state.n: wrap it: single({ n: u8 })`,
    id: `UsageError SS_BAD_DEFINITION: Cannot define a game with id 'My Game': use up to 63 lower-case letters, digits and hyphens, such as 'space-miners'`,
    address: `UsageError SS_BAD_ARGUMENT: Cannot reach a relay at "localhost:7777": write an address such as ws://localhost:7777, or the link to a match`,
    seats: `UsageError SS_BAD_ARGUMENT: Cannot start 'dots' with 9 seats: it is for 1 to 8`,
    match: `UsageError SS_BAD_VALUE: Cannot use match: it is "${'x'.repeat(40)}"…; it must be a well-formed text of at most 64 bytes in UTF-8`,
    players: `UsageError SS_BAD_ARGUMENT: Cannot play 'dots' with 3 players here: its match has 2 seats; write a whole number from 1 to 2`,
    closed: `UsageError SS_CLOSED: Cannot issue an order: the session is over`,
  })
})

describe.concurrent('a relay', () => {
  test('that is not there is told after two seconds, and given up with the reason', async () => {
    const { code, complaints } = await script(
      'no-relay.mjs',
      `
import { joinMatch } from 'samestep'
import { dots } from './game.mjs'
await joinMatch(dots, { url: 'ws://127.0.0.1:9', match: 'friday', name: 'Ada', timeoutMs: 2_500 })
`,
    )
    const why =
      'Cannot connect to ws://127.0.0.1:9/?match=friday: nothing listens there (ECONNREFUSED)'
    expect(complaints).toContain(
      `[samestep] No relay has let us in yet: dialling ws://127.0.0.1:9/. ${why}\n`,
    )
    expect(complaints).toContain(
      `JoinError: Cannot join: no relay let us in within 2500 ms. ${why}\n`,
    )
    expect(complaints).toContain("reason: 'timeout'")
    expect(code).toBe(1)
  })

  test('that is the server of a page is told from one', async () => {
    const { complaints } = await script(
      'page-server.mjs',
      `
import { createServer } from 'node:http'
import { joinMatch } from 'samestep'
import { dots } from './game.mjs'
const server = createServer((request, response) => {
  response.setHeader('content-type', 'text/html')
  response.end('<html></html>')
})
server.listen(0, '127.0.0.1', async () => {
  const url = 'http://127.0.0.1:' + server.address().port
  await joinMatch(dots, { url, match: 'friday', name: 'Ada', timeoutMs: 2_500 }).catch((error) => {
    console.error(error.message.replaceAll(server.address().port, 'PORT'))
  })
  server.close()
})
`,
    )
    expect(complaints).toContain(
      "127.0.0.1:PORT answers with an HTML page: that is the server of a page, not a relay. Give the relay's own address, such as url: 'ws://127.0.0.1:7777', or let the server pass WebSockets on to it (in Vite: server.proxy with ws: true)",
    )
  })

  test('lets nobody in who plays something else, and says what differs', async () => {
    const ran = await script(
      'others.mjs',
      `
import { defineGame, joinMatch, u8 } from 'samestep'
import { startRelay } from 'samestep/server'
import { dots } from './game.mjs'
${tell}
const relay = await startRelay({ port: 0, log: 'off' })
const joined = []
const join = async (game, more = {}) => {
  const options = { url: relay.url, match: 'friday', name: 'Ada', ...more }
  joined.push(await joinMatch(game, options))
  return joined.at(-1)
}
const changed = (changes) => defineGame({ ...dots.definition, ...changes })
await tell('first', () => join(dots, { seats: 1 }))
await tell('version', () => join(changed({ version: 2 })))
await tell('orders', () => join(changed({ orders: { leap: { x: u8 } }, step() {} })))
await tell('game', () => join(changed({ id: 'circles' })))
await tell('full', () => join(dots))
await tell('empty', () => join(dots, { name: ' ', match: 'b' }))
await tell('turned', () => join(dots, { name: 'Ada\\u202E', match: 'b' }))
await tell('long', () => join(dots, { name: 'A'.repeat(33), match: 'b' }))
await tell('end', async () => {
  const closed = new Promise((resolve) => joined[0].on('closed', resolve))
  await relay.close()
  const { reason, message } = await closed
  return reason + ': ' + message
})
`,
    )
    expect(ran.complaints).toBe('')
    expect(linesOf(ran)).toEqual({
      first: 'active',
      version: 'JoinError version: Cannot let you in: your game version is 2; it must be 1',
      orders: expect.stringMatching(
        /^JoinError version: Cannot let you in: your game is not the one of this match, though both say version 1: build all from one source \([0-9a-f]{8} and [0-9a-f]{8}\)$/,
      ),
      game: 'JoinError version: Cannot let you in: your game is circles; it must be dots',
      full: 'JoinError match-full: Cannot let you in: every seat of the match is taken',
      empty:
        'JoinError bad-message: Cannot let you in: your name is empty, or has nothing that can be seen',
      turned:
        'JoinError bad-message: Cannot let you in: your name has a character in it that turns the direction of writing around',
      long: 'JoinError bad-message: Cannot let you in: your name has more than 32 characters',
      end: 'shutdown: The relay is shutting down',
    })
  })

  test('by the command, and a command that there is not', async () => {
    const { code, complaints } = await run([bin('samestep'), 'realy'])
    expect([code, complaints]).toEqual([
      2,
      "error: unknown command 'realy'\n(Did you mean relay?)\n",
    ])
    const missing = await run([bin('samestep'), 'check', 'nothing.mjs'])
    expect(missing).toMatchObject({
      code: 2,
      complaints: 'Cannot load the game: there is no file nothing.mjs\n',
    })
    // The packed package has all that the command needs.
    expect(
      execFileSync(process.execPath, [bin('samestep'), '--help'], { encoding: 'utf8' }),
    ).toMatch(/relay/)
  })
})
