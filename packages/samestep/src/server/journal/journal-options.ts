/** Where a relay, or one of its workers, keeps its journal. */
export interface JournalPlace {
  /** The folder that is its own. */
  readonly folder: string
  /**
   * Folders whose matches it takes up besides, as far as they are its own: those of all workers of the
   * relay before. Whoever started it removes their files.
   */
  readonly older?: readonly string[]
}
