/** How many files and sockets this process may have open. */
import { readFileSync } from 'node:fs'

/** Descriptors for all that is no connection: libraries, pages, logs, workers. */
const reservedFiles = 64

/** The soft limit of open files, where the system tells; `undefined` elsewhere. */
export function openFilesMax(path = '/proc/self/limits'): number | undefined {
  try {
    const soft = /^Max open files\s+(\d+)/m.exec(readFileSync(path, 'utf8'))?.[1]
    return soft === undefined ? undefined : Number(soft)
  } catch {
    return undefined
  }
}

/**
 * The connections that can be had. Above the limit of open files the system would close whoever comes,
 * without a word to us (F-23): a limit of our own below it is counted and told.
 */
export function connectionsWithin(wanted: number, filesMax: number | undefined): number {
  return filesMax === undefined ? wanted : Math.min(wanted, Math.max(filesMax - reservedFiles, 16))
}
