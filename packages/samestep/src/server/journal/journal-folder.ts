import {
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import { basename, join } from 'node:path'
import type { Logger } from 'pino'
import { UsageError } from '../../base/errors.ts'
import { showPath, systemProblem } from '../../transport/node/secret-text.ts'
import type { LockOwner } from './folder-lock.ts'
import { FolderLock } from './folder-lock.ts'
import { filePattern } from './journal.ts'

/**
 * The folder of a relay's journals, one for each worker:
 *
 *     boot            which start of the machine this is
 *     lock            whose folder it is: see `FolderLock`
 *     0/ 1/ …         the journals that are written, by worker
 *     before/         those of the relay before, while its matches are taken up
 *     aside/          those that nobody can go on from, for whoever wants to look
 *
 * A relay may come back with more or fewer workers, and each takes up what is its own by then. So the
 * files of before are put in one place first, and removed when all workers have read them.
 */
export class JournalFolder {
  readonly #root: string
  readonly #log: Logger
  readonly #lock: FolderLock

  /** @throws UsageError `SS_BAD_ARGUMENT` when the folder cannot be used. */
  constructor(root: string, log: Logger, bootId: string) {
    this.#root = root
    this.#log = log
    this.#lock = this.#open(bootId)
  }

  /** The relay has stopped: another one may use the folder. */
  release(): void {
    this.#lock.release()
  }

  #open(bootId: string): FolderLock {
    let lock: FolderLock | LockOwner | undefined
    try {
      mkdirSync(this.#root, { recursive: true, mode: 0o700 })
      lock = FolderLock.take(this.#root, bootId)
      if (!(lock instanceof FolderLock)) throw isTaken(this.#root, lock)
      for (const worker of this.#workers()) {
        const owner = FolderLock.awaitFree(join(this.#root, worker), bootId)
        if (owner !== undefined) throw isTaken(this.#root, owner)
      }
      this.#gather(bootId)
      return lock
    } catch (error) {
      if (lock instanceof FolderLock) lock.release()
      if (error instanceof UsageError) throw error
      throw new UsageError(
        'SS_BAD_ARGUMENT',
        `Cannot keep a journal in ${showPath(this.#root)}: ${systemProblem(error)}`,
        { cause: error },
      )
    }
  }

  /** The folder of one worker. */
  of(worker: number): string {
    return join(this.#root, String(worker))
  }

  /** The journals of before. */
  get before(): string {
    return join(this.#root, 'before')
  }

  /** Everybody has taken up what is theirs, and written it down again. */
  dropBefore(): void {
    rmSync(this.before, { recursive: true, force: true })
  }

  #gather(bootId: string): void {
    const files = this.#files()
    const bootFile = join(this.#root, 'boot')
    const lastBoot = existsSync(bootFile) ? readFileSync(bootFile, 'utf8') : undefined
    if (lastBoot !== bootId) writeFileSync(bootFile, bootId, { mode: 0o600 })
    if (files.length === 0) return
    if (lastBoot === bootId) this.#moveTo(this.before, files)
    else this.#setAside(files)
  }

  /** What a process gave to the operating system is lost with the machine: the newest ticks may be. */
  #setAside(files: readonly string[]): void {
    const aside = join(this.#root, 'aside')
    rmSync(aside, { recursive: true, force: true })
    this.#moveTo(aside, files)
    this.#log.warn(
      { files: files.length, aside: showPath(aside) },
      'the machine was restarted: the journals of before are set aside, their matches are over',
    )
  }

  /** The folders of workers. */
  #workers(): string[] {
    return readdirSync(this.#root).filter((name) => /^\d+$/.test(name))
  }

  /** All files of journals, those of before first: whatever is in another folder is newer. */
  #files(): string[] {
    // The first is there only if whoever moved them died on the way.
    return ['before.new', 'before', ...this.#workers()].flatMap((folder) =>
      filesIn(join(this.#root, folder)),
    )
  }

  /** Moves files one by one: whoever dies on the way leaves them in the same sequence. */
  #moveTo(folder: string, files: readonly string[]): void {
    const moving = `${folder}.new`
    mkdirSync(moving, { recursive: true, mode: 0o700 })
    const moved = filesIn(moving)
    let number = Math.max(0, ...moved.map(numberOf))
    for (const file of files) {
      if (moved.includes(file)) continue
      number += 1
      renameSync(file, join(moving, `${String(number).padStart(8, '0')}.ssrc`))
    }
    rmSync(folder, { recursive: true, force: true })
    renameSync(moving, folder)
  }
}

function isTaken(root: string, { pid, host }: LockOwner): UsageError {
  return new UsageError(
    'SS_BAD_ARGUMENT',
    `Cannot keep a journal in ${showPath(root)}: the relay with process id ${pid} on ${host} uses it; stop that relay, or use another folder`,
  )
}

/** The paths of the files of a journal, the oldest first. */
function filesIn(folder: string): string[] {
  if (!existsSync(folder)) return []
  return readdirSync(folder)
    .filter((name) => filePattern.test(name))
    .sort((one, other) => numberOf(one) - numberOf(other))
    .map((name) => join(folder, name))
}

function numberOf(path: string): number {
  return Number.parseInt(basename(path), 10)
}
