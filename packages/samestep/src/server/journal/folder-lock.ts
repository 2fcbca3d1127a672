import {
  linkSync,
  readFileSync,
  readlinkSync,
  renameSync,
  rmSync,
  statSync,
  utimesSync,
  writeFileSync,
} from 'node:fs'
import { hostname } from 'node:os'
import { join } from 'node:path'

/**
 * Keeps two relays from writing into one folder. The lock is a file that says whose it is:
 *
 *     a process of this machine that lives      the folder is taken
 *     one that is gone, or a number used again  the lock is taken over
 *     of another machine or container           taken while it is touched, which its owner does every second
 *
 * The system would release a lock of its own with the process, but Node.js has no call for that.
 */
export class FolderLock {
  readonly #path: string
  readonly #text: string
  readonly #timer: NodeJS.Timeout

  private constructor(path: string, text: string) {
    this.#path = path
    this.#text = text
    this.#timer = setInterval(() => this.#touch(), touchMs).unref()
  }

  /**
   * Takes the lock of a folder that exists. Gives who has it instead, where somebody does: a process by
   * its number, or a machine by its name. May wait some seconds for an owner elsewhere to show itself.
   */
  static take(folder: string, bootId: string): FolderLock | LockOwner {
    const path = join(folder, 'lock')
    const own: LockOwner = {
      pid: process.pid,
      start: startOf(process.pid),
      place: placeOf(bootId),
      host: hostname(),
    }
    const text = JSON.stringify(own)
    const draft = `${path}.${process.pid}`
    writeFileSync(draft, text, { mode: 0o600 })
    try {
      for (let attempt = 0; attempt < attemptsMax; attempt++) {
        if (linkUnlessThere(draft, path)) return new FolderLock(path, text)
        const known = readText(path)
        const owner = known === undefined ? undefined : ownerOf(known)
        if (owner !== undefined && isAlive(owner, own, path)) return owner
        if (known !== undefined) removeStale(path, known)
      }
      return ownerOf(readText(path) ?? '') ?? own
    } finally {
      rmSync(draft, { force: true })
    }
  }

  /**
   * Waits until nobody holds the lock of a folder: a worker whose relay was killed ends a moment later.
   * Gives who still holds it after some seconds.
   */
  static awaitFree(folder: string, bootId: string): LockOwner | undefined {
    const untilMs = Date.now() + silentMsMax
    for (;;) {
      const lock = FolderLock.take(folder, bootId)
      if (lock instanceof FolderLock) {
        lock.release()
        return undefined
      }
      if (Date.now() > untilMs) return lock
      Atomics.wait(pauser, 0, 0, 20)
    }
  }

  /** Lets the next relay in. */
  release(): void {
    clearInterval(this.#timer)
    if (readText(this.#path) === this.#text) rmSync(this.#path, { force: true })
  }

  #touch(): void {
    const now = new Date()
    try {
      utimesSync(this.#path, now, now)
    } catch {
      // Whoever removed it by hand knows what he does; nothing can be done here.
    }
  }
}

/** Whose a lock is. */
export interface LockOwner {
  readonly pid: number
  /** When the process began, as its system counts: numbers of processes are used again. */
  readonly start: string
  /** The machine, since its start, and the container: numbers of processes mean something only there. */
  readonly place: string
  readonly host: string
}

/** How often the owner touches its lock, and how long one that nobody touches still counts. */
const touchMs = 1_000
const silentMsMax = 4_000

/** Another relay may take the lock just now, a few times at the most. */
const attemptsMax = 5

function isAlive(owner: LockOwner, own: LockOwner, path: string): boolean {
  if (owner.place === own.place) {
    return isProcess(owner.pid) && startOf(owner.pid) === owner.start
  }
  const untilMs = Date.now() + silentMsMax
  const touched = touchedAtMs(path)
  if (touched === undefined || Date.now() - touched > silentMsMax) return false
  // Somebody elsewhere, of whom nothing can be known but this: does it touch its lock again?
  while (Date.now() < untilMs) {
    Atomics.wait(pauser, 0, 0, 200)
    if (touchedAtMs(path) !== touched) return true
  }
  return false
}

const pauser = new Int32Array(new SharedArrayBuffer(4))

function isProcess(pid: number): boolean {
  try {
    process.kill(pid, 0)
    return true
  } catch (error) {
    // It lives, and is somebody else's.
    return (error as NodeJS.ErrnoException).code === 'EPERM'
  }
}

/** Removes a lock that was found stale, unless it has become somebody else's meanwhile. */
function removeStale(path: string, text: string): void {
  const aside = `${path}.stale.${process.pid}`
  try {
    renameSync(path, aside)
  } catch {
    return
  }
  if (readText(aside) !== text) linkUnlessThere(aside, path)
  rmSync(aside, { force: true })
}

/** A link is there wholly or not at all, and never replaces a file. */
function linkUnlessThere(from: string, to: string): boolean {
  try {
    linkSync(from, to)
    return true
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EEXIST') return false
    throw error
  }
}

function readText(path: string): string | undefined {
  try {
    return readFileSync(path, 'utf8')
  } catch {
    return undefined
  }
}

function touchedAtMs(path: string): number | undefined {
  return statSync(path, { throwIfNoEntry: false })?.mtimeMs
}

/** What a lock says; `undefined` for what is none, which nobody holds. */
function ownerOf(text: string): LockOwner | undefined {
  try {
    const { pid, start, place, host } = JSON.parse(text) as Partial<LockOwner>
    const isOwner =
      Number.isInteger(pid) && [start, place, host].every((it) => typeof it === 'string')
    return isOwner ? ({ pid, start, place, host } as LockOwner) : undefined
  } catch {
    return undefined
  }
}

/** When a process began; nothing where the system does not say. */
function startOf(pid: number): string {
  const text = readText(`/proc/${pid}/stat`)
  // Behind the name, which may have anything in it: the 20th of the fields that follow.
  return text?.slice(text.lastIndexOf(')') + 2).split(' ')[19] ?? ''
}

function placeOf(bootId: string): string {
  try {
    return `${bootId} ${readlinkSync('/proc/self/ns/pid')}`
  } catch {
    return `${bootId} ${hostname()}`
  }
}
