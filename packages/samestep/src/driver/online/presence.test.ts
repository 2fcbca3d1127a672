/** What two players see of each other, whether the one who looks plays here or in a worker. */
import { describe, expect, test } from 'vitest'
import type { MatchEvents } from '../match/match.ts'
import type { AnyLedgerMatch } from '../testing/match-stages.ts'
import { WorkerWorld } from '../testing/worker-world.ts'
import type { JoinOptions } from './join-options.ts'

type Options = Partial<JoinOptions<never>>

const kinds = {
  joinMatch: (world: WorkerWorld, options: Options) => world.seat(options),
  joinMatchInWorker: (world: WorkerWorld, options: Options) => {
    world.serve()
    return world.seatInWorker(options)
  },
}

function hear(match: AnyLedgerMatch) {
  const [changes, blames]: [string[], MatchEvents['blame'][]] = [[], []]
  match.on('presence', ({ name, seat, change, reason }) => {
    changes.push([name, seat, change, reason].filter((part) => part !== undefined).join(' '))
  })
  match.on('blame', (blame) => {
    blames.push(blame)
    expect(match.blame).toEqual(blame)
  })
  return { changes, blames }
}

describe.each(Object.entries(kinds))('%s', (_name, join) => {
  test('a friend comes, loads, is lost, comes back, hides and leaves', async () => {
    const world = new WorkerWorld()
    const lobby = { start: 'by-owner', countdownMs: 0 } as const
    const options = { seats: 2, lobby, loadsItself: true }
    const ada = await join(world, { ...options, name: 'Ada' })
    const { changes, blames } = hear(ada)
    await world.timing.pass(200)
    const ben = await world.seat({ ...options, name: 'Ben' })
    await world.timing.pass(500)
    expect(changes.splice(0)).toEqual(['Ben 1 joined'])
    ada.act({ type: 'start' })
    await world.timing.pass(500)
    ada.reportLoad(100)
    await world.timing.pass(500)
    expect(blames.splice(0).at(-1)).toEqual({ cause: 'loading', seats: [1] })
    ben.reportLoad(100)
    await world.timing.pass(1_000)
    expect(blames.splice(0)).toEqual([{ cause: 'nobody', seats: [] }])
    expect(changes.splice(0)).toEqual([])
    ben.setHidden(true)
    await world.timing.pass(2_000)
    ben.setHidden(false)
    await world.timing.pass(3_000)
    expect(changes.splice(0)).toEqual(['Ben 1 hidden', 'Ben 1 visible'])
    world.isUnreachable = true
    world.dialed.at(-1)?.close(1000, '')
    await world.timing.pass(5_000)
    expect(changes.splice(0)).toEqual(['Ben 1 disconnected'])
    world.isUnreachable = false
    await world.timing.pass(10_000)
    const back = changes.splice(0)
    expect(back[0]).toBe('Ben 1 reconnected')
    expect(back.length === 1 || back.at(-1) === 'Ben 1 caught-up').toBe(true)
    ben.close()
    await world.timing.pass(2_000)
    expect(changes).toEqual(['Ben 1 left left'])
    expect(ada.status).toBe('active')
  })

  test('a tick that waits for somebody names the seat', async () => {
    const world = new WorkerWorld()
    const options = { seats: 2, missing: { kind: 'wait', waitMs: 2_000 }, inputDelay: 3 } as const
    const joining = join(world, { ...options, name: 'Ada' })
    const ada = await joining
    await world.seat({ ...options, name: 'Ben' })
    const { blames } = hear(ada)
    await world.timing.pass(2_000)
    blames.splice(0)
    world.isUnreachable = true
    world.dialed.at(-1)?.close(1000, '')
    await world.timing.pass(1_000)
    expect(blames).toEqual([{ cause: 'inputs', seats: [1] }])
  })
})
