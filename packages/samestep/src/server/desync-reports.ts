import { mkdirSync, readdirSync, renameSync, statSync, unlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Logger } from 'pino'
import type { DesyncFile } from '../desync/report-file.ts'
import { encodeDesyncFile } from '../desync/report-file.ts'
import { tellFinding } from '../desync/tell-finding.ts'
import type { MatchEvent } from '../relay/match/match-types.ts'

/**
 * Tells the log what is found out about desyncs, and keeps their reports in a folder: the newest
 * {@link filesMax}. A disk that does not take them costs a line in the log, and nothing else.
 */
export class DesyncReports {
  readonly #folder: string | undefined
  readonly #log: Logger

  constructor(folder: string | undefined, log: Logger) {
    this.#folder = folder
    this.#log = log
  }

  /** Writes a line about something that was found out. */
  tell(match: string, { finding, seats }: Extract<MatchEvent, { type: 'desync-found' }>): void {
    const { stage, tick, place, writes, cause } = tellFinding(finding, seats, true)
    this.#log.warn({ match, tick, groups: seats, place, writes, cause }, `desync ${stage}`)
  }

  /** Keeps a report. */
  keep(match: string, file: DesyncFile): void {
    const folder = this.#folder
    if (folder === undefined) return
    try {
      mkdirSync(folder, { recursive: true })
      const path = join(folder, `${file.matchId}_${String(file.tick).padStart(10, '0')}${ending}`)
      // Under its own name it is whole: whoever looks into the folder never reads half a file.
      writeFileSync(`${path}.new`, encodeDesyncFile(file), { mode: 0o640 })
      renameSync(`${path}.new`, path)
      this.#log.warn({ match, file: path }, 'desync report written')
      dropOldest(folder)
    } catch (error) {
      this.#log.error({ match, err: error }, 'cannot keep a desync report')
    }
  }
}

/** Removes the oldest reports where there are too many. */
function dropOldest(folder: string): void {
  const reports = readdirSync(folder).filter((name) => name.endsWith(ending))
  if (reports.length <= filesMax) return
  const aged = reports.map((name) => ({ name, atMs: statSync(join(folder, name)).mtimeMs }))
  aged.sort((one, other) => one.atMs - other.atMs || (one.name < other.name ? -1 : 1))
  for (const { name } of aged.slice(0, aged.length - filesMax)) unlinkSync(join(folder, name))
}

const ending = '.desync'

/** Reports that are kept: more than anybody reads. Each has a few kilobytes. */
export const filesMax = 100
