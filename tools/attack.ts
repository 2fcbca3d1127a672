/**
 * Attacks a relay of its own on this machine, and measures what a match notices of it. `--help` says how.
 *
 * Three processes, so that none measures the work of another: the relay, the attacker, and this one
 * with the player. Only loopback, and only relays that it started itself. Linux only: memory, CPU and
 * descriptors of the relay are read from /proc.
 */
import { parseArgs } from 'node:util'
import type { Attack, Target } from './attack/attack.ts'
import { attacks } from './attack/registry.ts'
import { broken, formatAll, judge, type Ran } from './attack/report.ts'
import { beginLine, runCase } from './attack/run-case.ts'
import { refuse } from './programs.ts'

const { positionals, values } = parseArgs({
  allowPositionals: true,
  options: {
    seconds: { type: 'string', default: '10' },
    sockets: { type: 'string', default: '10000' },
    addresses: { type: 'string', default: '1' },
    processes: { type: 'string', default: '1' },
    case: { type: 'string' },
    json: { type: 'boolean', default: false },
    help: { type: 'boolean', default: false },
    /** Used by this tool itself: makes this process the attacker. */
    target: { type: 'string' },
  },
})

const [name = ''] = positionals
if (values.help || name === '' || name === 'help') {
  process.stdout.write(help())
  process.exit(values.help || name === 'help' ? 0 : 1)
}
const chosen = name === 'all' ? attacks : attacks.filter((attack) => attack.name === name)
if (chosen.length === 0 || positionals.length > 1) {
  const names = attacks.map((attack) => attack.name).join(', ')
  refuse(`Cannot attack by '${positionals.join(' ')}': it must be one of ${names}, or all`)
}
const caseNumber = values.case === undefined ? undefined : numberOf('case', 64)
if (caseNumber !== undefined && !chosen.every(({ cases }) => cases.length >= caseNumber)) {
  refuse(`Cannot use --case ${caseNumber}: ${name} has no such case; --help lists them`)
}

if (values.target !== undefined) {
  const begin = () => process.stdout.write(beginLine)
  const target = { ...(JSON.parse(values.target) as Omit<Target, 'begin'>), begin }
  const { run, isPrepared = false } = chosen[0]!.cases[(caseNumber ?? 1) - 1]!
  if (!isPrepared) begin()
  const result = await run(target)
  process.stdout.write(JSON.stringify(result))
  process.exit(0)
}

if (process.platform !== 'linux') refuse('Cannot attack here: it needs /proc, which only Linux has')
const force = {
  seconds: numberOf('seconds', 600),
  sockets: numberOf('sockets', 60_000),
  addresses: numberOf('addresses', 200),
  processes: numberOf('processes', 8),
}
const all: Ran[] = []
/** Cases that did not run to their end, for reasons of this tool or of the machine. */
const failures: string[] = []
for (const attack of chosen) {
  for (const [index, each] of attack.cases.entries()) {
    if (caseNumber !== undefined && caseNumber !== index + 1) continue
    const seconds = Math.max(force.seconds, each.secondsMin ?? 0)
    process.stderr.write(`${attack.name}: ${each.title}, ${seconds} s\n`)
    try {
      all.push(judge(attack.name, each, await runCase(attack, index, { ...force, seconds })))
    } catch (error) {
      // The others are still worth running.
      failures.push(`${attack.name}, ${each.title}: ${String(error)}`)
    }
  }
}
process.stdout.write(`${values.json ? JSON.stringify(all) : formatAll(all)}\n`)
for (const failure of failures) process.stderr.write(`Could not run ${failure}\n`)
process.exit(failures.length === 0 && all.every((ran) => broken(ran).length === 0) ? 0 : 1)

function numberOf(option: 'seconds' | 'sockets' | 'addresses' | 'processes' | 'case', max: number) {
  const value = Number(values[option])
  if (Number.isInteger(value) && value >= 1 && value <= max) return value
  return refuse(
    `Cannot use --${option} ${values[option]}: it must be a whole number from 1 to ${max}`,
  )
}

function help(): string {
  const lines = attacks.flatMap((attack: Attack) => [
    `  ${attack.name.padEnd(16)}${attack.what}`,
    ...attack.cases.map(({ title, flags, hasPages }, index) => {
      const all = [...flags, ...(hasPages === true ? ['--pages <folder>'] : [])]
      return `${' '.repeat(18)}${index + 1}  ${title} (relay ${all.join(' ')})`
    }),
  ])
  return `Attacks a relay of its own on loopback, and measures what an honest match notices.

  npm run attack -- <attack>|all [options]
  npm run attack -- pipeline --seconds 8 --case 2

Attacks, with their cases:
${lines.join('\n')}

Options:
  --seconds <n>     how long each case attacks: 10
  --case <n>        only this case of the attack
  --sockets <n>     sockets of wave and slowloris: 10000
  --addresses <n>   addresses of the attacker, from 127.0.0.2 on: 1
  --processes <n>   attackers that share the work, where one cannot do enough: 1
  --json            figures for programs, on the standard output

Exit code 0: every promise was kept. 1: one was not; it is named.
`
}
