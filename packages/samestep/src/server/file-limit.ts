/** How many files and sockets this process may have open, and who gets them. */
import { readFileSync } from 'node:fs'
import { assert } from '../base/assert.ts'
import { lobbyWaitingMax } from '../transport/node/websocket-limits.ts'

/** Descriptors for all that is neither a connection nor a page: libraries, logs, workers. */
const reservedFiles = 64

/**
 * Connections that are no WebSockets, beside `connectionsMax`: for health, for pages, and for those on
 * their way in. Half of them may wait for something, a quarter may be downloads; so the rest is free for
 * an operator, whatever strangers do.
 */
const httpReserve = 1_024

/** Descriptors that are shared out even where the system gives fewer. */
const filesMin = 32

assert(httpReserve / 2 >= lobbyWaitingMax, 'Those who wait must not need the whole reserve')

/** What a relay may have at once. */
export interface ConnectionRoom {
  /** Connections that were upgraded. */
  readonly upgraded: number
  /** Connections that still speak HTTP. */
  readonly http: number
  /** Those among them for which nothing is done at the moment. */
  readonly waiting: number
  /** Files that are open for downloads. */
  readonly downloads: number
  /** Connections of both kinds in the process with the port. */
  readonly total: number
}

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
 * Shares out the descriptors of a process. Above the limit of open files the system would close whoever
 * comes, without a word to us (F-23): limits of our own below it are counted and told. Workers have the
 * upgraded connections, and the same limit each.
 */
export function shareFiles(
  wanted: number,
  filesMax: number | undefined,
  workers = 1,
): ConnectionRoom {
  const files = Math.max((filesMax ?? Number.POSITIVE_INFINITY) - reservedFiles, filesMin)
  const http = Math.min(httpReserve, Math.floor(files / 4))
  const downloads = Math.floor(http / 4)
  const waiting = Math.min(lobbyWaitingMax, Math.floor(http / 2))
  const room = workers === 1 ? files - http - downloads : workers * files
  const upgraded = Math.min(wanted, room)
  return { upgraded, http, waiting, downloads, total: Math.min(upgraded + http, files - downloads) }
}
