/** What Linux tells of a process. */
import { readdirSync, readFileSync, writeFileSync } from 'node:fs'

/** CPU time of a process since its start. */
export function cpuSeconds(pid: number): number {
  const fields = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ')[1]!.split(' ')
  // In hundredths on every Linux.
  return (Number(fields[11]) + Number(fields[12])) / 100
}

/** Counts the largest resident size anew from here on. */
export function resetPeak(pid: number): void {
  writeFileSync(`/proc/${pid}/clear_refs`, '5')
}

/** The largest resident size since {@link resetPeak}. */
export function peakMib(pid: number): number {
  return statusKib(pid, 'VmHWM') / 1_024
}

/** The resident size now. */
export function residentMib(pid: number): number {
  return statusKib(pid, 'VmRSS') / 1_024
}

/** Open descriptors: files, sockets, pipes. */
export function descriptorCount(pid: number): number {
  return readdirSync(`/proc/${pid}/fd`).length
}

/** Whether the process exists. */
export function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0)
    return true
  } catch {
    return false
  }
}

function statusKib(pid: number, name: string): number {
  const line = new RegExp(`${name}:\\s+(\\d+)`).exec(readFileSync(`/proc/${pid}/status`, 'utf8'))
  return Number(line?.[1] ?? Number.NaN)
}

/** Processes of Node that a process has started and that still run; not its compiler. */
export function childrenOf(pid: number): number[] {
  const text = readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').trim()
  const pids = text === '' ? [] : text.split(' ').map(Number)
  return pids.filter((child) => !/esbuild/.test(readFileSync(`/proc/${child}/comm`, 'utf8')))
}
