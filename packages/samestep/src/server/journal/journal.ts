import type { Logger } from 'pino'
import { UsageError, WireError } from '../../base/errors.ts'
import type { MatchHistory } from '../../record/index.ts'
import { MatchHistories, scanRecord } from '../../record/index.ts'
import type { Timing } from '../../transport/timing.ts'
import type { Disk, DiskFile } from './disk.ts'

/**
 * The journal of a relay: what its matches write down, in files of one folder.
 *
 *     relay ──record──► append (before anything of it is sent) ──► fdatasync within 100 ms
 *
 *     00000001.ssrc ██████████ full: the next file begins, matches are written into it anew, one after
 *     00000002.ssrc ███        the other; when all of them are, the file before is removed
 *
 * A journal that is behind is worse than none: whoever went on from it would decide ticks again that
 * players have seen. So when the disk fails, its files are removed as far as that is possible, play goes
 * on, and a new journal is tried now and then.
 */

/** What a journal needs of the relay that it keeps. */
export interface JournalSource {
  /** Writes into a new file from now on. */
  start(id: Uint8Array): void
  /** Writes up to so many matches anew that the file does not have yet. Gives how many are left. */
  carry(countMax: number): number
  /** Writes nothing any more. */
  stop(): void
}

/** How a journal is made. */
export interface JournalOptions {
  readonly disk: Disk
  /** Folders of others whose matches are read too, and never changed. */
  readonly older?: readonly Disk[]
  readonly log: Logger
  readonly timing: Timing
  /** Bytes of a file before the next begins; {@link fileBytesDefault} when left out. */
  readonly fileBytesMax?: number
  randomBytes(count: number): Uint8Array
  /** Told when nothing is written any more, in order. */
  release?(): void
}

/** How a journal is. */
export type JournalState = 'written' | 'failing' | 'closed'

/** How long what was appended may be lost with the machine. */
export const syncMsMax = 100

/** Bytes of a file before the next begins: read again in a fraction of a second. */
const fileBytesDefault = 16 * 2 ** 20

/** Matches that are written anew at once, and the time between: some hundred microseconds each time. */
const carryCount = 8
const carryEveryMs = 10

/** The time between two attempts on a disk that fails. */
const retryMs = 10_000

/** How long before {@link syncMsMax} a sync begins: it takes some milliseconds itself. */
const syncAfterMs = syncMsMax / 2

/** What files of a journal are called: their number, and what they are. */
export const filePattern = /^\d{8,}\.ssrc$/
const asidePattern = /\.ssrc\.aside$/

/** The journal of one process: writes the records of its matches, and reads them after a crash. */
export class Journal {
  readonly #disk: Disk
  readonly #log: Logger
  readonly #timing: Timing
  readonly #randomBytes: JournalOptions['randomBytes']
  readonly #release: () => void
  readonly #fileBytesMax: number
  /** Bytes at which the next file begins; not before the current one has every match. */
  #turnAtBytes = Number.POSITIVE_INFINITY
  #source: JournalSource | undefined
  #file: DiskFile | undefined
  /** Files that are there, the current one last. */
  #names: string[]
  #fileBytes = 0
  #number: number
  #isSyncing = false
  /** Since when there is something that was not synced; `Infinity` when nothing is. */
  #unsyncedSinceMs = Number.POSITIVE_INFINITY
  #undoTimer: (() => void) | undefined
  #undoSync: (() => void) | undefined
  #state: JournalState = 'written'
  #failures = 0
  readonly #histories: readonly MatchHistory[]

  /** @throws UsageError `SS_BAD_ARGUMENT` when the folder cannot be used. */
  constructor(options: JournalOptions) {
    const { disk, log, timing, randomBytes, fileBytesMax = fileBytesDefault } = options
    this.#fileBytesMax = fileBytesMax
    this.#disk = disk
    this.#log = log
    this.#timing = timing
    this.#randomBytes = randomBytes
    this.#release = () => options.release?.()
    try {
      this.#names = filesOf(disk)
      this.#number = numberOf(this.#names.at(-1))
      this.#histories = this.#readAll(options.older ?? [])
    } catch (error) {
      const { code = String(error) } = error as { readonly code?: string }
      throw new UsageError('SS_BAD_ARGUMENT', `Cannot keep a journal in its folder: ${code}`, {
        cause: error,
      })
    }
  }

  /** The matches that were going on when the last journal ended. */
  get histories(): readonly MatchHistory[] {
    return this.#histories
  }

  get state(): JournalState {
    return this.#state
  }

  /** How often the disk failed. */
  get failures(): number {
    return this.#failures
  }

  /** Keeps a relay's matches from now on, those that it has already first. */
  begin(source: JournalSource): void {
    this.#source = source
    this.#startFile()
    while (this.#file !== undefined && source.carry(Number.POSITIVE_INFINITY) > 0);
    this.#removeOld()
  }

  /** Appends what the relay wrote. When it returns, the bytes outlive this process. */
  append(bytes: Uint8Array): void {
    const file = this.#file
    if (file === undefined) return
    try {
      file.append(bytes)
    } catch (error) {
      this.#fail(error)
      return
    }
    this.#fileBytes += bytes.byteLength
    if (this.#unsyncedSinceMs === Number.POSITIVE_INFINITY) this.#planSync()
    // Not here: whoever gives the bytes is in the middle of something.
    if (this.#fileBytes > this.#turnAtBytes) this.#plan(() => this.#turn(), 0)
  }

  /** The relay stops in order: there is nothing to go on from. */
  close(): void {
    if (this.#state === 'closed') return
    this.#state = 'closed'
    this.#undoTimer?.()
    this.#closeFile()
    this.#removeAll()
    this.#release()
  }

  /** Begins another file, and moves what goes on into it. */
  #turn(): void {
    this.#startFile()
    this.#carryOn()
  }

  #carryOn(): void {
    const left = this.#file === undefined ? 0 : (this.#source?.carry(carryCount) ?? 0)
    if (left > 0) this.#plan(() => this.#carryOn(), carryEveryMs)
    else this.#removeOld()
  }

  #startFile(): void {
    this.#closeFile()
    this.#number += 1
    const name = `${String(this.#number).padStart(8, '0')}.ssrc`
    try {
      this.#file = this.#disk.create(name)
    } catch (error) {
      this.#fail(error)
      return
    }
    this.#names.push(name)
    this.#fileBytes = 0
    this.#turnAtBytes = Number.POSITIVE_INFINITY
    this.#source?.start(this.#randomBytes(8))
  }

  #closeFile(): void {
    const file = this.#file
    this.#file = undefined
    this.#undoSync?.()
    this.#undoSync = undefined
    this.#unsyncedSinceMs = Number.POSITIVE_INFINITY
    try {
      file?.close()
    } catch (error) {
      this.#log.warn({ err: error }, 'a journal file could not be closed')
    }
  }

  #planSync(): void {
    this.#unsyncedSinceMs = this.#timing.nowMs()
    this.#undoSync = this.#timing.schedule(() => this.#sync(), syncAfterMs)
  }

  #sync(): void {
    const file = this.#file
    // One that takes long is waited for: the next covers all that came meanwhile.
    if (file === undefined || this.#isSyncing) return
    this.#isSyncing = true
    this.#unsyncedSinceMs = Number.POSITIVE_INFINITY
    file.sync((error) => {
      this.#isSyncing = false
      if (file !== this.#file) return
      if (error !== null) this.#fail(error)
      else if (this.#unsyncedSinceMs !== Number.POSITIVE_INFINITY) this.#sync()
    })
  }

  /** The disk is full or broken: play goes on without a journal, and operators are told once. */
  #fail(error: unknown): void {
    if (this.#state === 'closed') return
    this.#failures += 1
    this.#closeFile()
    this.#source?.stop()
    this.#removeAll()
    if (this.#state !== 'failing') {
      this.#log.error({ err: error }, 'the journal cannot be written; matches continue without it')
    }
    this.#state = 'failing'
    this.#plan(() => this.#retry(), retryMs)
  }

  #retry(): void {
    this.#startFile()
    if (this.#file === undefined) return
    this.#source?.carry(Number.POSITIVE_INFINITY)
    // Writing the matches may have failed again.
    if (this.#file === undefined) return
    this.#removeOld()
    this.#state = 'written'
    this.#log.info('the journal works again')
  }

  /** Everything before the current file is in it too, or over. */
  #removeOld(): void {
    if (this.#file === undefined) return
    // So many matches that a new file is full of them must not be moved again and again.
    this.#turnAtBytes = Math.max(this.#fileBytesMax, 2 * this.#fileBytes)
    for (const name of this.#names.splice(0, this.#names.length - 1)) this.#remove(name)
  }

  #removeAll(): void {
    for (const name of this.#names.splice(0)) this.#remove(name)
  }

  #remove(name: string): void {
    try {
      this.#disk.remove(name)
    } catch (error) {
      this.#log.warn({ err: error, file: name }, 'a journal file cannot be removed')
    }
  }

  #plan(what: () => void, afterMs: number): void {
    this.#undoTimer?.()
    this.#undoTimer = this.#timing.schedule(() => {
      this.#undoTimer = undefined
      if (this.#state !== 'closed') what()
    }, afterMs)
  }

  /** Keeps files for whoever wants to look at them, until there are newer ones to look at. */
  #asideAll(): void {
    for (const name of this.#disk.list()) if (asidePattern.test(name)) this.#disk.remove(name)
    for (const name of this.#names) this.#disk.rename(name, `${name}.aside`)
    this.#names = []
  }

  #readAll(older: readonly Disk[]): readonly MatchHistory[] {
    const histories = new MatchHistories()
    for (const disk of [...older, this.#disk]) {
      const names = filesOf(disk)
      if (names.every((name) => this.#readFile(disk, name, histories))) continue
      // What follows the damage may be newer ticks of any match: none of them can go on.
      if (disk === this.#disk) this.#asideAll()
      return []
    }
    return [...histories.byId.values()].filter(
      ({ end, room }) => end === undefined && room !== undefined && room.phase !== 'ended',
    )
  }

  /** False when a file is damaged. One that is torn off is not: nobody heard of what was torn off. */
  #readFile(disk: Disk, name: string, histories: MatchHistories): boolean {
    histories.startFile()
    let refused: WireError | undefined
    const end = scanRecord(disk.read(name), (item) => {
      if (refused !== undefined) return
      try {
        histories.add(item)
      } catch (error) {
        if (!(error instanceof WireError)) throw error
        refused = error
      }
    })
    const error = refused ?? end.error
    if (error === undefined) return true
    const about = { file: name, lostBytes: end.lostBytes, reason: error.message }
    const isTorn = error.code === 'SS_WIRE_TRUNCATED' && refused === undefined
    if (isTorn) this.#log.info(about, 'a journal file ends in the middle of an entry')
    else this.#log.error(about, 'a journal file is damaged: its matches are over')
    return isTorn
  }
}

/** The files of a journal, the oldest first. */
function filesOf(disk: Disk): string[] {
  return disk
    .list()
    .filter((name) => filePattern.test(name))
    .sort((one, other) => numberOf(one) - numberOf(other))
}

function numberOf(name: string | undefined): number {
  return name === undefined ? 0 : Number.parseInt(name, 10)
}
