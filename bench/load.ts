import { readFileSync } from 'node:fs'
import { cpus } from 'node:os'

/** What the machine had done by some moment. All in milliseconds. */
export type LoadMark = {
  readonly wallMs: number
  /** Processor time of this process, its compiler and garbage collector included. */
  readonly ownMs: number
  /** Processor time of everybody, all cores together; stolen time of a virtual machine included. */
  readonly busyMs: number
}

/** How busy the machine was between two marks. */
export type Load = {
  /** Processor time that this process got, in cores. Below 1 it had to wait. */
  readonly ownCores: number
  /** What all others used, in cores. */
  readonly otherCores: number
  readonly cores: number
}

/** The kernel counts in hundredths of a second, whatever its own clock does. */
const msPerKernelTick = 10

/** Takes a mark. */
export function markLoad(): LoadMark {
  const { user, system } = process.cpuUsage()
  return { wallMs: performance.now(), ownMs: (user + system) / 1000, busyMs: readBusyMs() }
}

function readBusyMs(): number {
  try {
    return parseBusyMs(readFileSync('/proc/stat', 'utf8'))
  } catch {
    // Not Linux: the same without stolen time.
    return cpus().reduce(
      (sum, { times }) => sum + times.user + times.nice + times.sys + times.irq,
      0,
    )
  }
}

/** Reads the first line of /proc/stat: user nice system idle iowait irq softirq steal. */
export function parseBusyMs(text: string): number {
  const [user = 0, nice = 0, system = 0, , , irq = 0, softirq = 0, steal = 0] = text
    .slice(0, text.indexOf('\n'))
    .split(/\s+/)
    .slice(1)
    .map(Number)
  return (user + nice + system + irq + softirq + steal) * msPerKernelTick
}

/** The load between two marks. */
export function loadBetween(before: LoadMark, after: LoadMark, cores = cpus().length): Load {
  const wallMs = after.wallMs - before.wallMs
  const ownCores = (after.ownMs - before.ownMs) / wallMs
  const allCores = (after.busyMs - before.busyMs) / wallMs
  return { ownCores, otherCores: Math.max(0, allCores - ownCores), cores }
}

/** Above a quarter of a core, others move figures by more than the usual noise. */
const otherCoresMax = 0.25
/** A loop without any waiting gets nearly a whole core; less means that it was pushed aside. */
const ownCoresMin = 0.9

/** One sentence when the machine was too busy for its figures to be repeated; otherwise nothing. */
export function describeBusy({ ownCores, otherCores, cores }: Load): string | undefined {
  const isStarved = ownCores < ownCoresMin
  if (!isStarved && otherCores <= otherCoresMax) return undefined
  const others = `others used ${otherCores.toFixed(1)} of ${cores} cores`
  const own = isStarved ? `, and this process got ${(ownCores * 100).toFixed(0)} % of one` : ''
  return `The machine was busy: ${others}${own}. Trust the ratios more than the times.`
}
