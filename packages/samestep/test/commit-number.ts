import { spawnSync } from 'node:child_process'

/** A number below a million that follows from the commit; of this process where there is none. */
export function commitNumber(): number {
  const { status, stdout } = spawnSync('git', ['rev-parse', 'HEAD'], { encoding: 'utf8' })
  return status === 0 ? Number.parseInt(stdout.slice(0, 8), 16) % 1_000_000 : process.pid
}

/** Every so-manieth of a list, from one on that the number says. */
export function shareOf<T>(list: readonly T[], number: number, shares: number): T[] {
  return list.filter((_, index) => index % shares === number % shares)
}
