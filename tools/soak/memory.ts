import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'

/** Memory in use at a time. */
export interface MemorySample {
  readonly minutes: number
  readonly heapKb: number
  readonly rssKb: number
}

/** What is in use after everything was collected that can be. */
export function sampleMemory(minutes: number): MemorySample {
  setFlagsFromString('--expose-gc')
  const collect = runInNewContext('gc') as () => void
  collect()
  collect()
  const { heapUsed, external, rss } = process.memoryUsage()
  return { minutes, heapKb: (heapUsed + external) / 1_024, rssKb: rss / 1_024 }
}

/** How much more each minute uses, by least squares; `undefined` for fewer than three samples. */
export function slopePerMinute(
  samples: readonly { readonly minutes: number; readonly kb: number }[],
): number | undefined {
  const count = samples.length
  if (count < 3) return undefined
  const meanX = samples.reduce((sum, { minutes }) => sum + minutes, 0) / count
  const meanY = samples.reduce((sum, { kb }) => sum + kb, 0) / count
  let [above, below] = [0, 0]
  for (const { minutes, kb } of samples) {
    above += (minutes - meanX) * (kb - meanY)
    below += (minutes - meanX) ** 2
  }
  return below === 0 ? undefined : above / below
}
