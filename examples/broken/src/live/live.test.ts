import { readFileSync } from 'node:fs'
import { type RelayServer, startRelay } from 'samestep/server'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { commandExhibits, type Exhibit, exhibits, type LiveExhibit, markedLine } from '../zoo.ts'
import {
  Ear,
  type PageMachine,
  type Player,
  playApart,
  startChromium,
  startNode,
} from './machines.ts'
import { type Scene, sample, scenes } from './scenes.ts'

type Played = Exhibit & { readonly live: LiveExhibit }

const all = [...exhibits, ...commandExhibits]
const played = all.filter((each): each is Played => each.live !== undefined)
const sceneOf = (file: string) => scenes[file] as Scene
const isOfEngines = ({ file }: Played) => sceneOf(file).engines !== undefined

/** Real processes, sockets and clocks: as long as a busy machine may need. */
const patience = { timeout: 90_000 }

let relay: RelayServer
let here: Player
let there: Player
let page: Player & { readonly machine: PageMachine }

beforeAll(async () => {
  relay = await startRelay({ port: 0, udp: false, log: false, origins: 'any' })
  const ears = [new Ear(), new Ear(), new Ear()] as const
  const mine = { TZ: 'UTC', LC_ALL: 'en_US.UTF-8', EASY_MODE: '' }
  // Somebody in Tokyo whose machine speaks Estonian, where Z stands before T.
  const theirs = { TZ: 'Asia/Tokyo', LC_ALL: 'et_EE.UTF-8', EASY_MODE: '1' }
  here = { ear: ears[0], machine: startNode(mine, ears[0].hear) }
  there = { ear: ears[1], machine: startNode(theirs, ears[1].hear, './other-machine.mjs') }
  page = { ear: ears[2], machine: await startChromium(ears[2].hear) }
}, 90_000)

afterAll(async () => {
  await Promise.all([here, there, page].map(({ machine }) => machine.close()))
  await relay.close()
})

/** The lines of a game that may be named. */
function linesOf(file: string, { line }: LiveExhibit): readonly string[] {
  const marks = { marked: ['✗'], second: ['✎'], either: ['✗', '✎'], none: [] } as const
  return marks[line].map((mark) => `${file}.ts:${markedLine(file, mark)}`)
}

/** Plays a game, and compares what both players were told with what the zoo says. */
async function expectTold({ file, where, live }: Played, second: Player): Promise<void> {
  const isLate = sceneOf(file).lateTick !== undefined
  const [report, other] = await playApart([here, second], file, relay.url, isLate)
  expect(other).toEqual(report)
  expect(report).toMatchObject({ groups: [[0], [1]], verdict: { kind: 'undecided' } })
  expect(report.cause?.id).toBe(live.cause)
  const { part, field } = report.place ?? {}
  expect(`${part}.${field}`).toContain(live.where ?? where)
  // A page names places in its bundle; what they are in the sources says its source map.
  const sites = report.writes
    .filter(({ seats }) => second !== page || seats.includes(0))
    .flatMap(({ site }) => (site === undefined ? [] : [`${site.file}:${site.line}`]))
  expect([...new Set(sites)]).toEqual(live.line === 'none' ? [] : [expect.any(String)])
  for (const site of sites) expect(linesOf(file, live)).toContain(site)
}

test('every game that two machines can play differently is played', () => {
  expect(played.map(({ file }) => file).sort()).toEqual(Object.keys(scenes).sort())
  expect(played.length).toBeGreaterThanOrEqual(12)
})

test('docs/desync.md says of every game what a match tells of it, or why it tells nothing', () => {
  const page = readFileSync(new URL('../../../../docs/desync.md', import.meta.url), 'utf8')
  for (const { file, live, where } of all) {
    const row = page
      .split('\n')
      .find((line) => line.startsWith('|') && line.includes(`\`${file}\``))
    expect(row, file).toBeDefined()
    if (live === undefined) continue
    const place = (live.where ?? where).replace(/\.$/, '')
    expect(row).toContain(`| \`${live.cause}\` | \`${place}\` |`)
  }
})

describe.concurrent('two processes of Node play a broken game and are told why they differ', () => {
  // Those that take longest first.
  const speedOf = ({ file }: Played) => sceneOf(file).speed ?? 0
  const games = played
    .filter((each) => !isOfEngines(each))
    .sort((one, two) => speedOf(two) - speedOf(one))
  test.each(games)('$file: $live.cause', patience, (exhibit) => expectTold(exhibit, there))
})

describe.concurrent('Node and Chromium play a broken game and are told why they differ', () => {
  test.each(played.filter(isOfEngines))('$file: $live.cause', patience, async (exhibit) => {
    const { file } = exhibit
    const [mine, theirs] = [sample(file), await page.machine.sample(file)]
    // Two versions of one engine may agree: then there is nothing to be told.
    if (mine.every((value, tick) => value === theirs[tick])) return
    await expectTold(exhibit, page)
  })
})
