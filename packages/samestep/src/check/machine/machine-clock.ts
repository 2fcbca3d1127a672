/** The time of day, here and elsewhere. */

import { realOf } from './host-hooks.ts'
import { ownerOf } from './machine-numbers.ts'
import type { MachineState, Patch } from './machine-state.ts'

/** `Date`, `performance` and Node's own clocks, all from the made-up machine's time. */
export function clockPatches(machine: MachineState): Patch[] {
  return [
    { target: globalThis, key: 'Date', value: makeDate(machine), isHooked: true },
    ...performancePatches(machine),
    ...nodePatches(machine),
  ]
}

/** East of Greenwich by the oddest amount in use, so that hours and minutes both differ. */
const otherZoneMinutes = 345

function zoneMs(machine: MachineState): number {
  return machine.isOther('zone') ? otherZoneMinutes * 60_000 : 0
}

type DateArguments = [year: number, month: number, ...rest: number[]]

function makeDate(machine: MachineState): DateConstructor {
  const Real = realOf(Date)
  const now = (): number => {
    machine.note('clock', 'Date.now', now)
    return Math.floor(machine.nowMs())
  }
  const fake = function (this: unknown, ...values: unknown[]): unknown {
    const isCalled = new.target === undefined
    if (values.length === 0) {
      machine.note('clock', 'new Date()', fake)
      const date = new Real(Math.floor(machine.nowMs()))
      return isCalled ? date.toISOString() : date
    }
    if (values.length === 1) return new Real(values[0] as number)
    // Years, months and days are local ones.
    machine.note('zone', 'new Date(year, month)', fake)
    return new Real(Real.UTC(...(values as DateArguments)) - zoneMs(machine))
  }
  return Object.assign(fake, {
    prototype: Real.prototype,
    now,
    parse: Real.parse,
    UTC: Real.UTC,
  }) as unknown as DateConstructor
}

function performancePatches(machine: MachineState): Patch[] {
  const performance = (globalThis as { readonly performance?: object }).performance
  const target = performance === undefined ? undefined : ownerOf(performance, 'now')
  if (target === undefined) return []
  const now = (): number => {
    machine.note('clock', 'performance.now', now)
    return machine.nowMs() % 1e9
  }
  return [{ target, key: 'now', value: now, isHooked: true }]
}

type NodeProcess = { hrtime?: { bigint?(): bigint }; uptime?(): number }

function nodePatches(machine: MachineState): Patch[] {
  const process = (globalThis as { readonly process?: NodeProcess }).process
  if (process?.hrtime === undefined || process.uptime === undefined) return []
  const hrtime = Object.assign(
    (): [number, number] => {
      machine.note('clock', 'process.hrtime', hrtime)
      const ms = machine.nowMs() % 1e9
      return [Math.floor(ms / 1_000), Math.floor((ms % 1_000) * 1e6)]
    },
    {
      bigint: (): bigint => {
        machine.note('clock', 'process.hrtime.bigint', hrtime.bigint)
        return BigInt(Math.floor((machine.nowMs() % 1e9) * 1e6))
      },
    },
  )
  const uptime = (): number => {
    machine.note('clock', 'process.uptime', uptime)
    return (machine.nowMs() % 1e9) / 1_000
  }
  return [
    { target: process, key: 'hrtime', value: hrtime, isHooked: true },
    { target: process, key: 'uptime', value: uptime, isHooked: true },
  ]
}

const localGetters = [
  ...(['FullYear', 'Month', 'Date', 'Day'] as const),
  ...(['Hours', 'Minutes', 'Seconds', 'Milliseconds'] as const),
]

/** Everything that reads a date as people at the machine's place would. */
export function zonePatches(machine: MachineState): Patch[] {
  const Real = realOf(Date)
  const patches: Patch[] = localGetters.map((part) => {
    const real = Date.prototype[`getUTC${part}`]
    const key = `get${part}`
    const patched = function (this: Date): number {
      machine.note('zone', `Date.prototype.${key}`, patched)
      return real.call(new Real(Number(this) + zoneMs(machine)))
    }
    return { target: Date.prototype, key, value: patched }
  })
  const offset = (): number => {
    machine.note('zone', 'Date.prototype.getTimezoneOffset', offset)
    return -zoneMs(machine) / 60_000
  }
  patches.push({ target: Date.prototype, key: 'getTimezoneOffset', value: offset })
  for (const key of ['toString', 'toDateString', 'toTimeString'] as const) {
    const patched = function (this: Date): string {
      machine.note('zone', `Date.prototype.${key}`, patched)
      return new Real(Number(this) + zoneMs(machine)).toISOString()
    }
    patches.push({ target: Date.prototype, key, value: patched })
  }
  return patches
}
