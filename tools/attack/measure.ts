/** How an honest match, and everybody else at the door, fares while something happens. */
import type { TestPlayer } from '../../packages/samestep/src/server/testing/player.ts'
import { request } from '../loopback/request.ts'
import { pagePath } from '../loopback/site.ts'
import { wait } from '../loopback/sockets.ts'
import type { Health, WatchedRelay } from '../loopback/watched-relay.ts'
import type { Measured, Probed } from './attack.ts'

/** As often as a tick is due. */
const timerMs = 1_000 / 30

/** Measures until `isOver` resolves. */
export async function measure(
  relay: WatchedRelay,
  player: TestPlayer,
  isOver: Promise<unknown>,
): Promise<Measured> {
  relay.resetPeak()
  const [firstTick, cpuBefore, fromMs] = [player.ticks, relay.cpuSeconds(), performance.now()]
  const timerAtMs: number[] = []
  const timer = setInterval(() => timerAtMs.push(performance.now()), timerMs)
  await isOver
  clearInterval(timer)
  const toMs = performance.now()
  const came = player.tickAtMs.slice(firstTick)
  // A match that stands still has no gap behind its last tick, unless that is counted too.
  const gaps = gapsOf([fromMs, ...came, toMs])
  const shareOf = (values: readonly number[], part: number) =>
    values[Math.min(values.length - 1, Math.floor(values.length * part))] ?? 0
  return {
    ticks: came.length,
    p50: shareOf(gaps, 0.5),
    p99: shareOf(gaps, 0.99),
    max: shareOf(gaps, 1),
    timerP99: shareOf(gapsOf(timerAtMs), 0.99),
    cpu: (relay.cpuSeconds() - cpuBefore) / ((toMs - fromMs) / 1_000),
    peakMib: relay.peakMib(),
  }
}

function gapsOf(atMs: readonly number[]): number[] {
  return atMs
    .slice(1)
    .map((ms, at) => ms - atMs[at]!)
    .sort((a, b) => a - b)
}

/** Asks for health and a page like anybody else, twice per second. */
export class Prober {
  readonly health = { asked: 0, failed: 0, longestMs: 0 }
  readonly pages = { asked: 0, failed: 0, longestMs: 0 }
  matchesMost = 0
  linksMost = 0
  readonly #relay: WatchedRelay
  #isOver = false
  readonly #done: Promise<void>

  constructor(relay: WatchedRelay) {
    this.#relay = relay
    this.#done = this.#run()
  }

  async stop(): Promise<{ readonly health: Probed; readonly pages: Probed }> {
    this.#isOver = true
    await this.#done
    return { health: this.health, pages: this.pages }
  }

  async #run(): Promise<void> {
    const { port, hasPages } = this.#relay
    while (!this.#isOver) {
      const { status, body, ms } = await request(port, '/health')
      note(this.health, status, ms)
      if (status === 200) {
        const { matches, links } = JSON.parse(body) as Health
        this.matchesMost = Math.max(this.matchesMost, matches)
        this.linksMost = Math.max(this.linksMost, links)
      }
      if (hasPages) {
        const page = await request(port, pagePath)
        note(this.pages, page.status, page.ms)
      }
      await wait(500)
    }
  }
}

function note(
  probed: { asked: number; failed: number; longestMs: number },
  status: number,
  ms: number,
): void {
  probed.asked++
  if (status !== 200) probed.failed++
  probed.longestMs = Math.max(probed.longestMs, Math.round(ms))
}
