import { expect, test } from 'vitest'
import { RelayWorld } from './testing/relay-world.ts'

const firefox = { library: 'samestep 0.1.0', engine: 'Firefox 128.0', build: '1.4.2' }
const chrome = { ...firefox, engine: 'Chrome 126.0.0.0', build: '1.4.3' }

test('the relay keeps what each member runs on, and hears of it anew when somebody comes back', () => {
  const world = new RelayWorld()
  const ada = world.join({ software: firefox })
  const bob = world.join()
  for (const peer of [ada, bob]) peer.isConfirming = true
  world.run(500)
  const softwareOf = () =>
    world.relay.matches.get('friday')!.sessions.map(({ visitor }) => visitor.software)
  expect(softwareOf()).toEqual([firefox, undefined])
  const joined = world.events.filter(({ type }) => type === 'joined')
  expect(joined).toEqual([
    { type: 'joined', member: 0, seat: 0, software: firefox },
    { type: 'joined', member: 1, seat: 1, software: undefined },
  ])
  const { ticket } = ada.body('RelaySeated')!
  world.breakLink(ada)
  // A page that was loaded again has the newest build.
  const back = world.join({ ticket, nextTick: 1, software: chrome })
  expect(back.body('RelaySeated')).toMatchObject({ seat: 0 })
  expect(softwareOf()).toEqual([chrome, undefined])
  expect(world.events.filter(({ type }) => type === 'joined')).toHaveLength(2)
})

test('words that cannot be shown are refused, before anybody reads them', () => {
  const world = new RelayWorld()
  const eve = world.join({ software: { ...firefox, build: '\u001b[2J' } })
  expect(eve.body('RelayRefuse')).toMatchObject({ reason: 'bad-message', item: 'software' })
  expect(world.relay.matches.size).toBe(0)
})
