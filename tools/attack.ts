/**
 * Attacks a relay of its own on this machine, and measures what a match notices of it.
 *
 *     npx tsx tools/attack.ts wave|slowloris|hellos|oversize|fragments [--seconds 10] [--sockets 10000] [--addresses 1] [--processes 1]
 *
 * A wave of slow sockets comes once, `slowloris` comes again and again. What is promised of a wave
 * (T-22) is checked, and decides the exit code.
 *
 * Three processes, so that none measures the work of another: the relay, the attacker, and this one
 * with the player. Only loopback, and only relays that it started itself.
 */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync, writeFileSync } from 'node:fs'
import { parseArgs } from 'node:util'
import { TestPlayer } from '../packages/samestep/src/server/testing/player.ts'
import { RelayProcess } from '../packages/samestep/src/server/testing/relay-process.ts'
import { until } from '../packages/samestep/src/transport/testing/recorder.ts'
import { type AttackResult, attackKinds, runAttacker } from './attack/attackers.ts'
import { refuse } from './programs.ts'
import { formatPlain } from './table.ts'

const { positionals, values } = parseArgs({
  allowPositionals: true,
  options: {
    seconds: { type: 'string', default: '10' },
    sockets: { type: 'string', default: '10000' },
    addresses: { type: 'string', default: '1' },
    /** Attackers that share the work, where one cannot do enough. */
    processes: { type: 'string', default: '1' },
    /** Used by this tool itself: makes this process the attacker. */
    port: { type: 'string' },
  },
})
const [kind = ''] = positionals
const isKnown = (name: string): name is (typeof attackKinds)[number] =>
  (attackKinds as readonly string[]).includes(name)
if (!isKnown(kind))
  refuse(`Cannot attack by '${kind}': it must be one of ${attackKinds.join(', ')}`)
const seconds = Number(values.seconds)
const sockets = Number(values.sockets)
const addresses = Number(values.addresses)
const processes = Number(values.processes)
const isWithin = (value: number, max: number) => value >= 1 && value <= max
if (!isWithin(seconds, 600) || !isWithin(sockets, 60_000) || !isWithin(addresses, 200)) {
  refuse('Cannot attack: --seconds must be from 1 to 600, --sockets to 60000, --addresses to 200')
}
if (!isWithin(processes, 8)) refuse('Cannot attack: --processes must be from 1 to 8')

if (values.port !== undefined) {
  const options = { port: Number(values.port), seconds, sockets, addresses, processes }
  const result = await runAttacker(kind, options)
  process.stdout.write(JSON.stringify(result))
  process.exit(0)
}

const relay = new RelayProcess(['--port', '0', '--webrtc', 'off', '--json', '--log', 'warn'])
const { pid, port, urls } = await relay.started()
const player = new TestPlayer(urls.websocket, { match: 'honest' })
await until(() => player.ticks > 30, 'a running match')

const calm = await measure(5)
const attackers = Array.from({ length: processes }, startAttacker)
const attacked = await measure(seconds)
const joinMs = await timeJoin()
const result = sumUp(await Promise.all(attackers))
const after = await measure(3)
const { faults, links } = await (await fetch(`${urls.http}/health`)).json()

const row = (name: string, { p50, p99, max, cpu, mib }: Measured) => [
  name,
  p50.toFixed(1),
  p99.toFixed(1),
  max.toFixed(1),
  `${Math.round(cpu * 100)} %`,
  mib.toFixed(0),
]
console.log(`${kind}, ${seconds} s: ${Object.entries(result).map(String).join('; ')}`)
console.log(
  formatPlain([
    ['', 'tick p50 ms', 'p99 ms', 'max ms', 'relay CPU', 'peak MiB'],
    row('before', calm),
    row('attack', attacked),
    row('after', after),
  ]),
)
console.log(`an honest player joins under attack in ${joinMs.toFixed(0)} ms`)
console.log(
  `after: ${links} links, ${faults} faults, the relay ${relay.exitCode === undefined ? 'runs' : 'is DEAD'}`,
)
if (player.ends.length > 0) console.log(`the player's line was cut: ${JSON.stringify(player.ends)}`)
player.stop()
relay.kill('SIGTERM')
const broken = kind === 'wave' ? brokenPromises() : []
for (const promise of broken) console.log(`NOT KEPT: ${promise}`)
process.exitCode = (await relay.ended()) === 0 && faults === 0 && broken.length === 0 ? 0 : 1

/** What T-22 promises of slow sockets, and was not so. */
function brokenPromises(): string[] {
  const lifeMs = result['longest life in ms'] ?? Number.POSITIVE_INFINITY
  const mib = Math.max(attacked.mib, after.mib) - calm.mib
  return [
    ...(result.opened === sockets ? [] : [`only ${result.opened} of ${sockets} sockets opened`]),
    ...(result['open at the end'] === 0 ? [] : ['all are closed']),
    ...(lifeMs <= 6_000 ? [] : [`closed within 6 s: one lived ${lifeMs} ms`]),
    ...(mib < 50 ? [] : [`less than 50 MiB: ${mib.toFixed(0)}`]),
    ...(joinMs < 1_000 ? [] : [`an honest player joins within 1 s: ${joinMs.toFixed(0)} ms`]),
  ]
}

/** Starts an attacker, and resolves with what it did. */
async function startAttacker(): Promise<AttackResult> {
  const attacker = spawn(
    process.execPath,
    [...process.execArgv, import.meta.filename, kind, '--port', String(port), ...flags()],
    { stdio: ['ignore', 'pipe', 'inherit'] },
  )
  let answer = ''
  attacker.stdout.on('data', (text) => {
    answer += text
  })
  await once(attacker, 'close')
  return JSON.parse(answer)
}

/** Of times and of what was at once the longest and the most, of everything else the sum. */
function sumUp(results: readonly AttackResult[]): AttackResult {
  const total: Record<string, number> = {}
  for (const [name, value] of results.flatMap((each) => Object.entries(each))) {
    const known = total[name] ?? 0
    total[name] = name.includes('longest') ? Math.max(known, value) : known + value
  }
  return total
}

function flags(): string[] {
  return Object.entries({ seconds, sockets, addresses, processes }).flatMap(([k, n]) => [
    `--${k}`,
    String(n),
  ])
}

type Measured = Awaited<ReturnType<typeof measure>>

/** How far apart ticks come, and what the relay spends. */
async function measure(forSeconds: number) {
  // From here on, the most that it has is counted anew.
  writeFileSync(`/proc/${pid}/clear_refs`, '5')
  const [firstTick, cpuBefore, fromMs] = [player.ticks, cpuSeconds(), performance.now()]
  await new Promise((resolve) => setTimeout(resolve, forSeconds * 1_000))
  const came = player.tickAtMs.slice(firstTick)
  const gaps = came.slice(1).map((atMs, at) => atMs - came[at]!)
  gaps.sort((a, b) => a - b)
  const share = (part: number) =>
    gaps[Math.min(gaps.length - 1, Math.floor(gaps.length * part))] ?? 0
  const cpu = (cpuSeconds() - cpuBefore) / ((performance.now() - fromMs) / 1_000)
  return { p50: share(0.5), p99: share(0.99), max: share(1), cpu, mib: peakMib() }
}

async function timeJoin(): Promise<number> {
  const fromMs = performance.now()
  const late = new TestPlayer(urls.websocket, { match: 'late' })
  await until(() => late.ticks > 0, 'a join under attack')
  const ms = performance.now() - fromMs
  late.stop()
  return ms
}

function cpuSeconds(): number {
  const fields = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ')[1]!.split(' ')
  // Of a hundred per second on every Linux.
  return (Number(fields[11]) + Number(fields[12])) / 100
}

function peakMib(): number {
  const line = /VmHWM:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))
  return Number(line?.[1]) / 1_024
}
