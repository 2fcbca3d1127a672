/** The process of the strangers, told what to do by the one with the honest players. */
import { Prng } from '../../packages/samestep/src/base/prng.ts'
import { addressOf, wait } from '../loopback/sockets.ts'
import type { CrowdOrder, CrowdReport } from './messages.ts'
import { repertoires } from './repertoires.ts'
import type { Place } from './stranger.ts'

/** Addresses that strangers share. */
const addresses = 8

/** Between two acts of one stranger. */
const pauseMsMax = 150

/** An act that takes longer is a mistake of this tool. */
const actMsMax = 30_000

let isOver = false
/** What was done since the last report, oldest first. */
let done: string[] = []

function report(what: CrowdReport): void {
  process.send?.(what)
}

/** One stranger, from its first act to its last. */
async function live(place: Place, seed: number, number: number): Promise<void> {
  const kinds = Object.entries(repertoires).filter(
    ([kind]) =>
      (kind !== 'udp' || place.udp !== undefined) && (kind !== 'signalling' || place.hasSignalling),
  )
  const [kind, repertoire] = kinds[number % kinds.length]!
  const random = new Prng(seed, `stranger ${number} ${kind}`)
  const acts = Object.entries(repertoire)
  const address = addressOf(number, addresses)
  while (!isOver) {
    const [name, act] = random.pick(acts)
    done.push(name)
    const patience = setTimeout(() => {
      report({ type: 'broken', message: `'${name}' of stranger ${number} does not end` })
    }, actMsMax)
    await act({ ...place, random, address })
    clearTimeout(patience)
    await wait(random.below(pauseMsMax))
  }
}

async function begin({ place, seed, strangers }: Extract<CrowdOrder, { type: 'begin' }>) {
  const telling = setInterval(() => {
    report({ type: 'did', acts: done })
    done = []
  }, 250)
  try {
    await Promise.all(Array.from({ length: strangers }, (_, number) => live(place, seed, number)))
  } catch (error) {
    report({
      type: 'broken',
      message: error instanceof Error ? String(error.stack) : String(error),
    })
  }
  clearInterval(telling)
  report({ type: 'did', acts: done })
  report({ type: 'gone' })
}

process.on('message', (order: CrowdOrder) => {
  if (order.type === 'begin') void begin(order)
  else isOver = true
})
// Whoever started it is gone: so is the reason to be here.
process.on('disconnect', () => process.exit(0))
report({ type: 'ready' })
