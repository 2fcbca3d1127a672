/**
 * Files of one folder as pages, and nothing outside of it.
 *
 * Written here, because the usual libraries (`sirv`, `serve-static`) pipe a file into the response and
 * do not hear when the socket ends: a download that is dropped keeps its descriptor, which a stranger
 * can repeat. They also follow links out of the folder, and know no share of an address.
 */
import { open, realpath } from 'node:fs/promises'
import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import { extname, join, sep } from 'node:path'
import { pipeline, type Readable } from 'node:stream'
import { assert } from '../../base/assert.ts'
import { UsageError } from '../../base/errors.ts'
import { TrustedProxies } from '../../transport/node/address-block.ts'
import { AddressLedger } from '../address-ledger.ts'

const contentTypes: ReadonlyMap<string, string> = new Map([
  ['.html', 'text/html; charset=utf-8'],
  ['.htm', 'text/html; charset=utf-8'],
  ['.js', 'text/javascript; charset=utf-8'],
  ['.mjs', 'text/javascript; charset=utf-8'],
  ['.css', 'text/css; charset=utf-8'],
  ['.json', 'application/json; charset=utf-8'],
  ['.map', 'application/json; charset=utf-8'],
  ['.txt', 'text/plain; charset=utf-8'],
  ['.md', 'text/plain; charset=utf-8'],
  ['.wasm', 'application/wasm'],
  ['.webmanifest', 'application/manifest+json'],
  ['.svg', 'image/svg+xml'],
  ['.png', 'image/png'],
  ['.jpg', 'image/jpeg'],
  ['.jpeg', 'image/jpeg'],
  ['.gif', 'image/gif'],
  ['.webp', 'image/webp'],
  ['.avif', 'image/avif'],
  ['.ico', 'image/x-icon'],
  ['.woff2', 'font/woff2'],
  ['.woff', 'font/woff'],
  ['.ttf', 'font/ttf'],
  ['.mp3', 'audio/mpeg'],
  ['.ogg', 'audio/ogg'],
  ['.wav', 'audio/wav'],
  ['.mp4', 'video/mp4'],
  ['.webm', 'video/webm'],
  ['.glb', 'model/gltf-binary'],
  ['.gltf', 'model/gltf+json'],
])

/** Files that are open for downloads at once; a crowd beyond it is told to try again. */
const downloadsMaxDefault = 256

/** The share of one address (/56 with IPv6): ten browsers with six connections each. */
const downloadsPerAddressMax = 64

assert(downloadsPerAddressMax * 4 <= downloadsMaxDefault, 'One address must not take them all')

/** Names that bundlers make from the content: the same name is always the same bytes. */
const hashedName = /[-.][A-Za-z0-9_-]{8,}\.[a-z0-9]+$/

/** What pages can be told. */
export interface StaticPagesOptions {
  /** Files that are open at once: 256 when left out. */
  readonly downloadsMax?: number
  /** Proxies whose `X-Forwarded-For` counts. None when left out. */
  readonly trustedProxies?: readonly string[]
}

/** Serves the files of one folder. */
export class StaticPages {
  readonly #root: string
  readonly #downloadsMax: number
  readonly #proxies: TrustedProxies
  /** Downloads by address. */
  readonly #ledger: AddressLedger
  #downloads = 0

  private constructor(root: string, options: StaticPagesOptions) {
    const { downloadsMax = downloadsMaxDefault, trustedProxies = [] } = options
    this.#root = root
    this.#downloadsMax = downloadsMax
    this.#proxies = new TrustedProxies(trustedProxies)
    const perAddressMax = Math.min(downloadsPerAddressMax, Math.ceil(downloadsMax / 4))
    this.#ledger = new AddressLedger({ perAddressMax, trustedProxies })
  }

  /** Downloads at the moment. */
  get downloads(): number {
    return this.#downloads
  }

  /** Throws `SS_BAD_ARGUMENT` when there is no such folder. */
  static async open(folder: string, options: StaticPagesOptions = {}): Promise<StaticPages> {
    try {
      const root = await realpath(folder)
      const handle = await open(root, 'r')
      const isFolder = (await handle.stat()).isDirectory()
      await handle.close()
      if (isFolder) return new StaticPages(root, options)
    } catch (cause) {
      throw badFolder(folder, cause)
    }
    throw badFolder(folder, undefined)
  }

  /** Answers a request. Resolves when the answer is out; rejects only for errors of ours. */
  async answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const path = pathOf(request.url ?? '/')
    if (path === undefined) {
      answerText(response, 404, 'There is no such page\n')
      return
    }
    const leave =
      this.#downloads < this.#downloadsMax
        ? this.#ledger.enter(this.#proxies.addressOfRequest(request))
        : undefined
    if (leave === undefined) {
      response.setHeader('Retry-After', '1')
      answerText(response, 503, 'Too many downloads at once\n')
      return
    }
    this.#downloads += 1
    try {
      await this.#answerFile(path, request, response)
    } finally {
      leave()
      this.#downloads -= 1
    }
  }

  async #answerFile(
    path: string,
    request: IncomingMessage,
    response: ServerResponse,
  ): Promise<void> {
    const file = await this.#locate(path.endsWith('/') ? `${path}index.html` : path)
    const handle = file === undefined ? undefined : await open(file, 'r').catch(() => undefined)
    if (handle === undefined) {
      answerText(response, 404, 'There is no such page\n')
      return
    }
    try {
      const stat = await handle.stat()
      if (stat.isDirectory()) {
        // Relative links of its index need the slash.
        response.setHeader('Location', `${encodeURI(path).replace(/^\/+/, '/')}/`)
        answerText(response, 301, '')
        return
      }
      if (!stat.isFile()) {
        answerText(response, 404, 'There is no such page\n')
        return
      }
      const etag = `W/"${stat.size.toString(16)}-${Math.trunc(stat.mtimeMs).toString(16)}"`
      response.setHeader('ETag', etag)
      response.setHeader(
        'Cache-Control',
        hashedName.test(path) ? 'public, max-age=31536000, immutable' : 'no-cache',
      )
      if (isKnown(request.headers['if-none-match'], etag)) {
        response.writeHead(304).end()
        return
      }
      response.writeHead(200, {
        'Content-Type':
          contentTypes.get(extname(file!).toLowerCase()) ?? 'application/octet-stream',
        'Content-Length': stat.size,
      })
      if (request.method === 'HEAD' || stat.size === 0) {
        response.end()
        return
      }
      // A file that grows meanwhile must not say more than was promised.
      const content = handle.createReadStream({ end: stat.size - 1, autoClose: false })
      await send(content, request.socket, response)
    } finally {
      await handle.close()
    }
  }

  /** The file behind a path, if it is really in the folder: links must not lead out of it. */
  async #locate(path: string): Promise<string | undefined> {
    const file = await realpath(join(this.#root, path)).catch(() => undefined)
    if (file === undefined) return undefined
    return file === this.#root || file.startsWith(this.#root + sep) ? file : undefined
  }
}

/**
 * Settles with the last byte, or with the end of the socket, whichever comes first. The socket is asked
 * itself: a response that waits behind another one would never hear of its end.
 */
function send(content: Readable, socket: Socket, response: ServerResponse): Promise<void> {
  return new Promise((resolve) => {
    const end = (): void => {
      socket.off('close', end)
      content.destroy()
      resolve()
    }
    if (socket.destroyed) {
      end()
      return
    }
    socket.once('close', end)
    pipeline(content, response, (error) => {
      // Whoever goes away in the middle is no error of anybody.
      if (error !== null && error !== undefined) response.destroy()
      end()
    })
  })
}

/**
 * The path of a request, decoded once; `undefined` for one that no honest page asks for: steps upwards,
 * hidden files, bytes that file systems take for something else.
 */
export function pathOf(url: string): string | undefined {
  const end = url.search(/[?#]/)
  let path: string
  try {
    path = decodeURIComponent(end < 0 ? url : url.slice(0, end))
  } catch {
    return undefined
  }
  // A proxy may ask with the whole address; nobody else does.
  if (!path.startsWith('/') || /[\p{Cc}\\:*?"<>|]/u.test(path)) return undefined
  const parts = path.split('/').slice(1)
  const isOdd = parts.some(
    (part, at) => part.startsWith('.') || (part === '' && at < parts.length - 1),
  )
  return isOdd ? undefined : path
}

/** Answers with a short text. */
export function answerText(response: ServerResponse, status: number, text: string): void {
  response.writeHead(status, {
    'Content-Type': 'text/plain; charset=utf-8',
    'Content-Length': Buffer.byteLength(text),
  })
  response.end(text)
}

function isKnown(ifNoneMatch: string | undefined, etag: string): boolean {
  if (ifNoneMatch === undefined) return false
  return ifNoneMatch.split(',').some((tag) => tag.trim() === etag || tag.trim() === '*')
}

function badFolder(folder: string, cause: unknown): UsageError {
  return new UsageError(
    'SS_BAD_ARGUMENT',
    `Cannot serve pages from ${JSON.stringify(folder)}: it must be a folder that can be read`,
    { cause },
  )
}
