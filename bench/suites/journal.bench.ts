import { closeSync, mkdtempSync, openSync, rmSync, writeSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { testConfig } from '../../packages/samestep/src/relay/testing/match-kit.ts'
import { RelayWorld } from '../../packages/samestep/src/relay/testing/relay-world.ts'
import { makeMatchConfig } from '../../packages/samestep/src/wire/messages/match-config.ts'
import type { Contender, Figure, Suite } from '../types.ts'

/** As many as a busy core has: those that tick together share a write, and a few alone would not matter. */
const matches = 80
const players = 4
const config = makeMatchConfig({ ...testConfig, seats: players })
const tickMs = 1_000 / config.tickRate

/**
 * CPU of a relay for one player in one tick over WebSockets, sockets included: the least that
 * `docs/operating.md` has. The journal may take a twentieth of what a tick of a match costs.
 */
const playerTickUs = 18
const journalUsMax = 0.05 * players * playerTickUs

/** Matches in full play, each with players who answer every tick. Gives a call that seals one of each. */
function play(onRecord?: (bytes: Uint8Array) => void): Contender {
  const world = new RelayWorld({ isRecorded: onRecord !== undefined }, onRecord)
  for (let match = 0; match < matches; match++) {
    for (let player = 0; player < players; player++) {
      const client = world.join({ config, match: `match ${match}`, name: `p${player}` })
      client.isConfirming = true
    }
  }
  world.run(1_000)
  return () => {
    world.run(tickMs)
    world.events.length = 0
    return world.nowMs
  }
}

/** What the journal adds to one sealed tick, by rounds that take turns: the median of their differences. */
function measure(plain: Contender, journalled: Contender): Figure {
  const differences: number[] = []
  for (let round = 0; round < rounds; round++) {
    differences.push(timeOf(journalled) - timeOf(plain))
  }
  differences.sort((a, b) => a - b)
  const value = (differences[rounds >> 1] as number) / (callsPerRound * matches)
  return { name: 'journal per sealed tick', value, unit: 'µs', atMost: journalUsMax }
}

const rounds = 41
const callsPerRound = 20

function timeOf(call: Contender): number {
  const before = process.cpuUsage()
  for (let index = 0; index < callsPerRound; index++) call()
  const { user, system } = process.cpuUsage(before)
  return user + system
}

/** What it costs a relay to write down what it seals. */
export const suites: readonly Suite[] = [
  {
    name: 'journal',
    work: `one tick of each of ${matches} matches with ${players} players, and their answers`,
    baseline: 'without a journal',
    prepare: () => {
      const folder = mkdtempSync(join(tmpdir(), 'samestep-bench-'))
      const file = openSync(join(folder, 'a.ssrc'), 'w')
      const plain = play()
      const journalled = play((bytes) => {
        writeSync(file, bytes)
      })
      return {
        contenders: { 'without a journal': plain, 'with a journal': journalled },
        figures: [measure(plain, journalled)],
        close: () => {
          closeSync(file)
          rmSync(folder, { recursive: true })
        },
      }
    },
  },
]
