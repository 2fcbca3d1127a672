import {
  closeSync,
  existsSync,
  fdatasync,
  mkdirSync,
  openSync,
  readdirSync,
  readSync,
  renameSync,
  rmSync,
  writeSync,
} from 'node:fs'
import { join } from 'node:path'

/** What a journal does with one folder of a disk. A test has one that fails when it is told to. */
export interface Disk {
  /** Names of all files; none where there is no folder. */
  list(): readonly string[]
  /** The bytes of a file, piece by piece, each borrowed until the next. */
  read(name: string): Iterable<Uint8Array>
  /** A new file to append to. Makes the folder, for its owner alone, if it is missing. */
  create(name: string): DiskFile
  rename(from: string, to: string): void
  remove(name: string): void
}

/** A file that is appended to. */
export interface DiskFile {
  /** Gives the bytes to the operating system: they outlive this process, but not the machine. */
  append(bytes: Uint8Array): void
  /** Makes what was appended outlive the machine. Answers later, with what went wrong. */
  sync(done: (error: Error | null) => void): void
  close(): void
}

/** Bytes that are read at once. */
const pieceBytes = 256 * 1_024

/** A folder of this machine. */
export class NodeDisk implements Disk {
  readonly #folder: string

  constructor(folder: string) {
    this.#folder = folder
  }

  list(): readonly string[] {
    return existsSync(this.#folder) ? readdirSync(this.#folder) : []
  }

  *read(name: string): Generator<Uint8Array> {
    const descriptor = openSync(this.#path(name), 'r')
    try {
      const piece = new Uint8Array(pieceBytes)
      for (;;) {
        const length = readSync(descriptor, piece)
        if (length === 0) return
        yield piece.subarray(0, length)
      }
    } finally {
      closeSync(descriptor)
    }
  }

  create(name: string): DiskFile {
    mkdirSync(this.#folder, { recursive: true, mode: 0o700 })
    return new NodeFile(this.#path(name))
  }

  rename(from: string, to: string): void {
    renameSync(this.#path(from), this.#path(to))
  }

  remove(name: string): void {
    rmSync(this.#path(name), { force: true })
  }

  #path(name: string): string {
    return join(this.#folder, name)
  }
}

class NodeFile implements DiskFile {
  readonly #descriptor: number

  constructor(path: string) {
    // Tickets are in it: nobody else may read it. Never a file that is there already.
    this.#descriptor = openSync(path, 'ax', 0o600)
  }

  append(bytes: Uint8Array): void {
    // A disk that is nearly full takes less than it is given, and refuses the rest.
    for (let at = 0; at < bytes.byteLength; ) at += writeSync(this.#descriptor, bytes, at)
  }

  sync(done: (error: Error | null) => void): void {
    fdatasync(this.#descriptor, done)
  }

  close(): void {
    closeSync(this.#descriptor)
  }
}
