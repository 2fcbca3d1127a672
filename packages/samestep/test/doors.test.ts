/** The doors for tests and for buses, as a game comes in: through the package's exports. */
import { execFileSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { defineGame, joinMatch, single, u16 } from 'samestep'
import { dialOnBus, openBroadcastBus, openWebxdcBus, startBusRelay } from 'samestep/broadcast'
import { OutOfSyncError, playTogether } from 'samestep/testing'
import { describe, expect, onTestFinished, test } from 'vitest'

const packageFolder = join(import.meta.dirname, '..')
const docs = join(packageFolder, '..', '..', 'docs')

const counter = defineGame({
  id: 'counter',
  version: 1,
  tickRate: 20,
  seats: { min: 1, max: 4 },
  state: { all: single({ sum: u16 }) },
  orders: { add: { number: u16 } },
  setup() {},
  step({ state, orders }) {
    for (const { data } of orders) state.all.sum += data.number
  },
})

/** Waits for something that real timers bring. */
async function until(condition: () => boolean): Promise<void> {
  for (let count = 0; count < 1_000 && !condition(); count++) {
    await new Promise((resolve) => setTimeout(resolve, 10))
  }
  expect(condition()).toBe(true)
}

/** Blocks of code of a page that name their file. */
function filesOf(page: string): { readonly name: string; readonly code: string }[] {
  const text = readFileSync(join(docs, page), 'utf8')
  return [...text.matchAll(/```js\n(\/\/ (\S+\.mjs)\n[\s\S]*?)```/g)].map(([, code, name]) => {
    return { name: name ?? '', code: code ?? '' }
  })
}

/** An empty folder with the package in it. */
function makeFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'samestep-doors-'))
  mkdirSync(join(folder, 'node_modules'))
  symlinkSync(packageFolder, join(folder, 'node_modules', 'samestep'), 'junction')
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
  return folder
}

describe('samestep/testing', () => {
  test('plays a match through the door', async () => {
    const world = await playTogether(counter, { players: 3, seed: 1 })
    world.matches[1]?.order('add', { number: 7 })
    await world.advance(1_000)
    expect(world.matches.map(({ simulation }) => simulation.state.all.sum)).toEqual([7, 7, 7])
    world.expectInSync()
    world.close()
    expect(OutOfSyncError.prototype).toBeInstanceOf(Error)
  })

  test('the tests in docs/testing.md pass', () => {
    const folder = makeFolder()
    const [file] = filesOf('testing.md')
    if (file === undefined) throw new Error('There is no test in docs/testing.md')
    writeFileSync(join(folder, file.name), file.code)
    const args = ['--test', '--test-reporter=tap', file.name]
    const output = execFileSync(process.execPath, args, { cwd: folder, encoding: 'utf8' })
    expect(output).toMatch(/^# pass 2$/m)
    expect(output).toMatch(/^# fail 0$/m)
  })
})

describe('samestep/broadcast', () => {
  test('pages of one origin play over a bus, with the host among them', async () => {
    const name = `doors ${process.pid}`
    const [hostBus, otherBus] = [openBroadcastBus(name), openBroadcastBus(name)]
    const host = await startBusRelay(hostBus)
    const rules = { match: 'friday', seats: 2 }
    const ada = await joinMatch(counter, { ...rules, name: 'Ada', dial: host.dial })
    const dial = dialOnBus(otherBus, { to: host.id })
    const bob = await joinMatch(counter, { ...rules, name: 'Bob', dial })
    expect([ada.transport, bob.transport]).toEqual(['memory', 'broadcast'])
    bob.order('add', { number: 3 })
    await until(() => ada.simulation.state.all.sum === 3 && bob.simulation.state.all.sum === 3)
    const told: string[] = []
    bob.on('closed', ({ reason }) => told.push(reason))
    await host.close()
    await until(() => told.length > 0)
    expect(told).toEqual(['shutdown'])
    ada.close()
    bob.close()
    for (const bus of [hostBus, otherBus]) bus.close()
  })

  test('members of a chat play over its channel, sealed', async () => {
    const listeners: ((data: Uint8Array) => void)[] = []
    const joinRealtimeChannel = () => {
      const own = listeners.length
      listeners.push(() => {})
      return {
        setListener(listener: (data: Uint8Array) => void) {
          listeners[own] = listener
        },
        send(data: Uint8Array) {
          listeners.forEach((listener, index) => {
            if (index !== own) queueMicrotask(() => listener(data.slice()))
          })
        },
        leave() {},
      }
    }
    const chat = { seal: true, secret: Uint8Array.of(1, 2, 3) }
    const host = await startBusRelay(openWebxdcBus(joinRealtimeChannel()), chat)
    const dial = dialOnBus(openWebxdcBus(joinRealtimeChannel()), { ...chat, to: host.id })
    const match = await joinMatch(counter, { match: 'friday', seats: 1, dial })
    match.order('add', { number: 5 })
    await until(() => match.simulation.state.all.sum === 5)
    match.close()
    await host.close()
  })

  test('the example in docs/broadcast.md runs', () => {
    const folder = makeFolder()
    const [file] = filesOf('broadcast.md')
    if (file === undefined) throw new Error('There is no example in docs/broadcast.md')
    const game = `import { defineGame } from 'samestep'
      export const dots = defineGame({
        id: 'dots', version: 1, seats: { min: 1, max: 2 }, state: {}, orders: {},
        setup() {}, step() {},
      })`
    writeFileSync(join(folder, 'game.mjs'), game)
    const ending = `
      const isPlayed = () => [ada, bob].every(({ simulation }) => simulation.tick > 0)
      while (!isPlayed()) await new Promise((resolve) => setTimeout(resolve, 10))
      console.log(ada.seat, bob.seat)
      process.exit(0)`
    writeFileSync(join(folder, file.name), file.code + ending)
    const options = { cwd: folder, encoding: 'utf8', timeout: 15_000 } as const
    expect(execFileSync(process.execPath, [file.name], options)).toBe('0 1\n')
  })
})

test('whoever gives neither an address nor a way to dial is told so', async () => {
  await expect(joinMatch(counter, { match: 'friday' })).rejects.toThrow(/no relay is named/)
})
