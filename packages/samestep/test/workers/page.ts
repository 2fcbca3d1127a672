/** What runs inside the browser: joins as its address says, and draws nothing but numbers. */
import { joinMatch } from '../../src/driver/online/join-match.ts'
import { joinMatchInWorker } from '../../src/driver/worker/join-match-in-worker.ts'
import { runners } from './game.ts'

const { searchParams, origin } = new URL(location.href)
const file = searchParams.get('worker')
const options = {
  url: origin,
  match: searchParams.get('match') ?? 'friday',
  name: searchParams.get('name') ?? 'Ada',
  seats: Number(searchParams.get('seats') ?? 2),
}

/** A match of either kind, for the console and for tests. */
async function join() {
  if (file === null) return joinMatch(runners, options)
  const worker = new Worker(new URL(`./${file}.mjs`, import.meta.url), { type: 'module' })
  Object.assign(globalThis, { worker })
  return joinMatchInWorker(runners, { ...options, worker })
}

try {
  const match = await join()
  const ends: string[] = []
  match.on('closed', ({ reason }) => ends.push(reason))
  addEventListener('pagehide', () => match.close())
  const pictures: { atMs: number; place: number }[] = []
  Object.assign(globalThis, { match, ends, pictures })
  requestAnimationFrame(function paint(now) {
    requestAnimationFrame(paint)
    if (match.status === 'lobby' || match.status === 'closed') return
    const { tick, alpha } = match.advance(now)
    pictures.push({ atMs: now, place: tick + alpha })
    if (pictures.length > 600) pictures.shift()
  })
} catch (error) {
  const { reason, message } = error as { readonly reason?: string; readonly message?: string }
  Object.assign(globalThis, { failure: { reason, message } })
}
