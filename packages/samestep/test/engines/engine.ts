import type { GroupedDigest } from '../digests/index.ts'

/** A JavaScript engine that is ready to run the digest script. */
export type Engine = {
  /** For tables: `Chromium`. */
  readonly name: string
  readonly version: string
  /**
   * Loads `script`, which defines `samestepDigests`, and calls it for `count` arguments per
   * function. Rejects when the script throws.
   */
  run(script: string, count: number): Promise<readonly GroupedDigest[]>
  close(): Promise<void>
}
