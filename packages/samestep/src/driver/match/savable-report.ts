import type { DesyncReport } from '../../desync/report.ts'

/** A report of a desync, as a match tells it. */
export interface SavableReport extends DesyncReport {
  /**
   * Writes the report as a `.desync` file, for `samestep desync`: what was told, and this machine's own
   * side. That is a state from before the bad tick, the bundles around it, and its hashes; so whoever
   * gets the file can run the tick again.
   *
   * On a page it is a download, and `path` its name. In Node it is a file: at `path`, or in the working
   * directory under the name of match and tick. Gives the name or path. Rejects when it cannot be written.
   */
  save(path?: string): Promise<string>
  /** The bytes of that file, to send them somewhere. */
  toBytes(): Promise<Uint8Array>
}

/**
 * A report that can be saved. What can be done with it is not its own property: it is copied to other
 * threads, compared and printed as the data that it is.
 */
export function savable(
  report: DesyncReport,
  matchId: string,
  toBytes: () => Promise<Uint8Array>,
): SavableReport {
  const save = async (path?: string): Promise<string> => {
    // Needed once in the life of most players, if at all.
    const { saveFile } = await import('./save-file.ts')
    const name = `${matchId}_${String(report.tick).padStart(10, '0')}.desync`
    return saveFile(path ?? name, await toBytes())
  }
  return Object.assign(Object.create({ save, toBytes }) as SavableReport, report)
}
