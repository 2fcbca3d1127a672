import { readFileSync } from 'node:fs'
import { uptime } from 'node:os'

/**
 * What is another text after the machine was started again. What a process gave to the operating system
 * outlives the process, not the machine: a journal of before may lack what players have seen.
 */
export function bootId(): string {
  try {
    return readFileSync('/proc/sys/kernel/random/boot_id', 'utf8').trim()
  } catch {
    // Elsewhere the time of the start, to ten minutes: clocks are set now and then.
    return `up since ${Math.round((Date.now() / 1_000 - uptime()) / 600)}`
  }
}
