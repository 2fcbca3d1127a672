/**
 * `npm run soak -- [--minutes 5] [--clients 64] [--seed 1] [--round-seconds 30] [--json]`: a relay and
 * its players over real sockets, in several processes, with lines that are cut, clogged, broken and bad
 * in every other way, and with processes that are killed. Bots issue numbered orders all the time.
 *
 * It is over when the time is. Exit code 0 means: no order was lost, doubled or ran where it should not,
 * all players and an independent witness have the same hashes, nobody was dropped, nothing is left
 * behind in the relay, and its memory does not grow.
 */
import { parseArgs } from 'node:util'
import { refuse } from './programs.ts'
import { seatCount } from './soak/game.ts'
import { Soak } from './soak/soak.ts'
import { formatSummary, isGood, summarize } from './soak/summary.ts'

const { values: options } = parseArgs({
  options: {
    minutes: { type: 'string', default: '5' },
    clients: { type: 'string', default: '64' },
    seed: { type: 'string', default: '1' },
    'round-seconds': { type: 'string', default: '30' },
    json: { type: 'boolean', default: false },
  },
})

function numberOf(name: keyof typeof options, min: number): number {
  const value = Number(options[name])
  if (Number.isFinite(value) && value >= min) return value
  return refuse(`Cannot use --${name} ${options[name]}: it must be a number from ${min}`)
}

const clients = numberOf('clients', seatCount)
if (clients % seatCount !== 0) {
  refuse(`Cannot use --clients ${clients}: a match has ${seatCount} seats; give a multiple of that`)
}

const progressEveryMs = process.stderr.isTTY ? 500 : 10_000

const soak = new Soak({
  clients,
  seed: numberOf('seed', 0),
  minutes: numberOf('minutes', 0),
  roundMs: numberOf('round-seconds', 1) * 1_000,
})
const shown = setInterval(() => {
  process.stderr.write(process.stderr.isTTY ? `\r\u001b[K${soak.progress}` : `${soak.progress}\n`)
}, progressEveryMs)
const result = await soak.run()
clearInterval(shown)
if (process.stderr.isTTY) process.stderr.write('\r\u001b[K')
const summary = summarize(result)
process.stdout.write(`${options.json ? JSON.stringify(summary) : formatSummary(summary)}\n`)
process.exit(isGood(summary) ? 0 : 1)
