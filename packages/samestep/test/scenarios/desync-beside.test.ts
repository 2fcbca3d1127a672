import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import type { DesyncReport } from '../../src/desync/report.ts'
import { playTogether } from '../../src/driver/together/play-together.ts'
import { defineGame } from '../../src/sim/game/definition/define-game.ts'
import { list, struct, u16, u32 } from '../../src/sim/schema/index.ts'
import { custom } from '../../src/sim/state/custom.ts'
import { plain } from '../../src/sim/state/plain.ts'
import { single } from '../../src/sim/state/single.ts'

/** What no saved state has, and what is written when no tick runs: whoever joins late has other ticks. */

let world: { close(): void } | undefined

beforeEach(() => {
  vi.spyOn(console, 'warn').mockReturnValue()
})

afterEach(() => {
  world?.close()
  vi.restoreAllMocks()
})

const common = { version: 1, tickRate: 20, seats: { min: 2, max: 2 }, orders: {} }

/** A forge whose heat its save leaves out. */
const forge = defineGame({
  ...common,
  id: 'forge',
  state: {
    forge: custom({
      create: () => ({ slots: new Uint8Array(4), heat: 0 }),
      save: ({ slots }) => slots.slice(),
      load(bytes, it) {
        it.slots.set(bytes)
        return it
      },
    }),
    yard: single({ swords: u32 }),
  },
  step({ state, tick }) {
    state.forge.heat += 1
    if (tick % 50 === 0) state.yard.swords += state.forge.heat // the line of the forge
  },
})

/** One object in two places, until somebody loads the state. */
const court = defineGame({
  ...common,
  id: 'court',
  state: {
    court: plain(struct({ knights: list(struct({ hits: u16 }), 4), king: struct({ hits: u16 }) })),
  },
  setup({ state }) {
    state.court.knights.push({ hits: 0 })
    state.court.king = state.court.knights[0]!
  },
  step({ state, tick }) {
    if (tick % 70 === 0) state.court.knights[0]!.hits += 1
  },
})

/** Mail that one machine delivers when the tick is over. */
function makePost(isLate: boolean) {
  return defineGame({
    ...common,
    id: 'post',
    state: { post: single({ sent: u32, delivered: u32 }) },
    step({ state, tick }) {
      const { post } = state
      post.sent += 1
      if (isLate && tick === 61) void Promise.resolve().then(() => (post.delivered += 1))
    },
  })
}

function lineOf(text: string): number {
  const lines = readFileSync(fileURLToPath(import.meta.url), 'utf8').split('\n')
  return lines.findIndex((line) => line.includes(text)) + 1
}

/** One player, and one who comes when the match has gone on for twelve seconds and has a state to give. */
async function playLate(
  game: Parameters<typeof playTogether>[0],
): Promise<DesyncReport | undefined> {
  const made = await playTogether(game, {
    players: 1,
    seats: 2,
    development: false,
    lobby: { start: 'by-owner', countdownMs: 0 },
  })
  world = made
  const told: DesyncReport[] = []
  made.matches[0]!.on('desync', (report) => told.push(report))
  made.matches[0]!.act({ type: 'start' })
  await made.advance(12_000)
  await made.join()
  await made.advance(20_000)
  // Nothing is judged before all was found out.
  expect(told.filter(({ stage }) => stage !== 'traced').map(({ cause }) => cause)).toEqual([
    undefined,
    undefined,
  ])
  return told.at(-1)
}

test('what a save leaves out is no write from outside: the line that reads it is named', async () => {
  const report = await playLate(forge as never)
  expect(report).toMatchObject({
    stage: 'traced',
    place: { part: 'yard', field: 'swords' },
    cause: { id: 'outside-state' },
  })
  const written = report?.writes.find(({ seats }) => seats.includes(0))
  expect(written?.site?.line).toBe(lineOf('// the line of the forge'))
})

test('what any load makes forget shows when the match is run again from its beginning', async () => {
  const report = await playLate(court as never)
  expect(report).toMatchObject({
    stage: 'traced',
    place: { part: 'court', field: 'king.hits' },
    cause: { id: 'outside-state' },
  })
})

test('a promise that writes when the tick is over is a write from outside, and no second result', async () => {
  const made = await playTogether(makePost(false), { players: 1, seats: 2, development: false })
  world = made
  const told: DesyncReport[] = []
  made.matches[0]!.on('desync', (report) => told.push(report))
  await made.join({ game: makePost(true) })
  await made.advance(14_000)
  expect(told.at(-1)).toMatchObject({
    stage: 'traced',
    tick: 62,
    place: { part: 'post', field: 'delivered' },
    cause: { id: 'outside-write' },
  })
})
