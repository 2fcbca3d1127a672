import type { Disk, DiskFile } from '../disk.ts'

/** A folder in memory that fails when it is told to. */
export class MemoryDisk implements Disk {
  readonly files = new Map<string, Uint8Array>()
  /** Bytes that still fit; then writing fails with ENOSPC. */
  roomBytes = Number.POSITIVE_INFINITY
  /** What syncing answers with. */
  syncError: Error | null = null
  /** Whether a sync answers at once, or only when {@link finishSync} is called. */
  isSlow = false
  syncs = 0
  appends = 0
  #waiting: (() => void)[] = []

  list(): readonly string[] {
    return [...this.files.keys()]
  }

  *read(name: string): Generator<Uint8Array> {
    yield this.files.get(name) as Uint8Array
  }

  create(name: string): DiskFile {
    if (this.roomBytes <= 0) throw noSpace()
    this.files.set(name, new Uint8Array(0))
    return {
      append: (bytes) => this.#append(name, bytes),
      sync: (done) => this.#sync(done),
      close: () => {},
    }
  }

  rename(from: string, to: string): void {
    this.files.set(to, this.files.get(from) as Uint8Array)
    this.files.delete(from)
  }

  remove(name: string): void {
    this.files.delete(name)
  }

  /** Lets syncs that wait answer. */
  finishSync(): void {
    for (const answer of this.#waiting.splice(0)) answer()
  }

  #append(name: string, bytes: Uint8Array): void {
    this.appends += 1
    const taken = bytes.subarray(0, Math.max(Math.min(bytes.byteLength, this.roomBytes), 0))
    this.roomBytes -= taken.byteLength
    const before = this.files.get(name) ?? new Uint8Array(0)
    const after = new Uint8Array(before.byteLength + taken.byteLength)
    after.set(before)
    after.set(taken, before.byteLength)
    this.files.set(name, after)
    if (taken.byteLength < bytes.byteLength) throw noSpace()
  }

  #sync(done: (error: Error | null) => void): void {
    this.syncs += 1
    const answer = () => done(this.syncError)
    if (this.isSlow) this.#waiting.push(answer)
    else answer()
  }
}

function noSpace(): Error {
  return Object.assign(new Error('no space left on device'), { code: 'ENOSPC' })
}
