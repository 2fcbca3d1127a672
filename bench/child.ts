import { fullEffort, measureSuite, quickEffort, type SuiteResult } from './measure.ts'
import type { Suite } from './types.ts'

/** What the process of one suite tells the one that started it. */
export type ChildMessage =
  | { readonly type: 'progress'; readonly share: number }
  | { readonly type: 'result'; readonly result: SuiteResult }
  | { readonly type: 'failure'; readonly message: string }

/** Progress is for eyes: more often than this, they see no difference. */
const progressEveryMs = 100

/** Measures the suite that the command line names, and tells the parent. Ends this process. */
export async function serveSuite(suites: readonly Suite[]): Promise<void> {
  const [, , name, effort] = process.argv
  let toldMs = 0
  const tell = (message: ChildMessage): void => {
    process.send?.(message)
  }
  try {
    const suite = suites.find((candidate) => candidate.name === name)
    if (suite === undefined) throw new Error(`Cannot find the suite '${name}'`)
    const result = await measureSuite(
      suite,
      effort === 'quick' ? quickEffort : fullEffort,
      (share) => {
        if (performance.now() - toldMs < progressEveryMs) return
        toldMs = performance.now()
        tell({ type: 'progress', share })
      },
    )
    tell({ type: 'result', result })
  } catch (error) {
    const message = error instanceof Error ? (error.stack ?? error.message) : String(error)
    tell({ type: 'failure', message })
  }
  // The channel keeps a child alive; a suite's own leftovers must not.
  process.disconnect?.()
}
