/** Starts a relay: port, crew, pages and log put together. */

import { networkInterfaces } from 'node:os'
import { UsageError } from '../base/errors.ts'
import { engineVersion } from '../sim/game/copies/version.ts'
import type { GameShape } from '../sim/game/definition/context.ts'
import type { Game } from '../sim/game/definition/define-game.ts'
import type { OrderData } from '../sim/game/orders/order.ts'
import type { FaultListener } from '../transport/entrance.ts'
import { isLoopback } from '../transport/node/address-block.ts'
import { type ConnectionRoom, openFilesMax, shareFiles } from './file-limit.ts'
import { addLineNumbers } from './logs/line-numbers.ts'
import { makeLog } from './logs/logging.ts'
import type { CreateMatchOptions } from './new-match.ts'
import { newMatchOf } from './new-match.ts'
import { HealthPage } from './pages/health-page.ts'
import { makeRequestDesk } from './pages/request-desk.ts'
import { StaticPages } from './pages/static-pages.ts'
import { refuseUpgrade } from './pages/upgrade-door.ts'
import { encodeRelayOrder } from './relay-order.ts'
import type { RelayServer, RelayServerOptions, RelayStatus, RelayUrls } from './relay-server.ts'
import { bracketed } from './settings/origin-rule.ts'
import { checkOptions } from './settings/read-settings.ts'
import type { TokenCheck } from './tokens/check-tokens.ts'
import { checkTokens } from './tokens/check-tokens.ts'
import type { Crew } from './workers/crew.ts'
import { journalStatus } from './workers/crew.ts'
import { Front } from './workers/front.ts'
import { startSoloCrew } from './workers/solo-crew.ts'
import { startWorkerCrew } from './workers/worker-crew.ts'

/** Players' connections at once, unless somebody says otherwise: far below the usual 65 536 files. */
const connectionsMaxDefault = 16_384

/**
 * Starts a relay in this process.
 *
 * Throws `SS_BAD_ARGUMENT` for invalid options, `SS_INSECURE` if other machines could connect without
 * encryption, and `SS_CANNOT_LISTEN` if a port cannot be opened.
 *
 * @example
 * ```ts
 * const relay = await startRelay({ port: 7777, pages: 'dist' })
 * console.log(relay.joinUrl('friday'))
 * process.once('SIGTERM', () => relay.close())
 * ```
 */
export async function startRelay(given: RelayServerOptions = {}): Promise<RelayServer> {
  const options = checkOptions(given)
  const log = makeLog(options.log)
  const startedMs = performance.now()
  const tokens = options.authorize === undefined ? options.tokens : undefined
  const tokenCheck = tokens && checkTokens(tokens)
  const authorize = options.authorize ?? tokenCheck
  const { connectionsMax = connectionsMaxDefault, workers, trustedProxies = [] } = options
  const room = shareFiles(connectionsMax, openFilesMax(), workers)
  const pages =
    options.pages === undefined
      ? undefined
      : await StaticPages.open(options.pages, { downloadsMax: room.downloads, trustedProxies })
  // Requests may come before the crew is there: they are told to come again.
  const made: { server?: RunningRelay } = {}
  const health = new HealthPage(async () => (await made.server?.status()) ?? notYet(startedMs))
  const onFault: FaultListener = (error, remote) => {
    if (made.server === undefined) log.error({ err: error, remote }, 'a request failed')
    else made.server.crew.noteFault(error, remote)
  }
  const front = await Front.open({
    options,
    log,
    room,
    onFault,
    onRequest: makeRequestDesk({
      pages,
      health,
      greeting: () => made.server?.greeting() ?? ['This relay is about to start.'],
      onFault,
    }),
    onUpgrade: (request, socket, head) => {
      if (made.server === undefined) refuseUpgrade(socket, 503, 'the relay is about to start')
      else made.server.crew.handleUpgrade(request, socket, head)
    },
  })
  try {
    const given = { options, log, host: front.host, port: front.port, room, authorize }
    const isSolo = (workers ?? 1) === 1
    const crew = isSolo ? await startSoloCrew(given) : await startWorkerCrew(given, front)
    made.server = new RunningRelay(front, crew, options, { startedMs, room, health, tokenCheck })
    health.forget()
  } catch (error) {
    await front.close()
    throw error
  }
  const { url, urls, notices } = made.server
  log.info({ urls, startMs: Math.round(performance.now() - startedMs) }, 'relay started')
  for (const notice of notices) log.warn(notice)
  const undo = made.server.onClosed(() => {
    log.info({ url }, 'relay stopped')
    log.flush()
    undo()
  })
  return made.server
}

function notYet(startedMs: number): RelayStatus {
  const counters = { accepted: {}, refused: {}, faults: 0, dropped: 0, restarts: 0, troubles: 0 }
  const none = { matches: 0, links: 0, players: 0, journal: 'off' } as const
  return { ...about('stopping', startedMs), ...none, counters, lines: addLineNumbers([]) }
}

function about(status: RelayStatus['status'], startedMs: number) {
  const uptimeSeconds = Math.floor((performance.now() - startedMs) / 1_000)
  return { status, version: engineVersion.split(' ')[1]!, uptimeSeconds }
}

/** What a relay that runs is made of, beside port and crew. */
interface RunningParts {
  readonly startedMs: number
  readonly room: ConnectionRoom
  readonly health: HealthPage
  readonly tokenCheck: TokenCheck | undefined
}

class RunningRelay implements RelayServer {
  readonly crew: Crew
  readonly url: string
  readonly urls: RelayUrls
  readonly port: number
  readonly isInsecure: boolean
  readonly notices: readonly string[]
  readonly #front: Front
  readonly #health: HealthPage
  readonly #tokenCheck: TokenCheck | undefined
  readonly #startedMs: number
  readonly #hasPages: boolean
  readonly #whenClosed = new Set<() => void>()
  #closing: Promise<void> | undefined

  constructor(
    front: Front,
    crew: Crew,
    options: RelayServerOptions,
    { startedMs, room, health, tokenCheck }: RunningParts,
  ) {
    this.#front = front
    this.#health = health
    this.#tokenCheck = tokenCheck
    this.crew = crew
    this.#startedMs = startedMs
    this.#hasPages = options.pages !== undefined
    this.port = front.port
    const isSecure = options.tls !== undefined
    this.isInsecure = !isSecure && !isLoopback(front.host)
    this.urls = urlsOf(front, crew, options)
    this.url = this.urls.websocket
    const warning = 'Connections are not encrypted: everybody on the way can read and change them'
    const narrow = roomNotices(options, room)
    this.notices = [
      ...(this.isInsecure ? [warning] : []),
      ...narrow,
      ...front.notices,
      ...crew.notices,
    ]
  }

  get conditioner() {
    return this.crew.conditioner
  }

  joinUrl(match: string): string {
    return `${this.urls.http}/#match=${encodeURIComponent(match)}`
  }

  async status(): Promise<RelayStatus> {
    const numbers = await this.crew.numbers()
    const { matches, links, players, accepted, refused, faults, restarts, troubles } = numbers
    const { workers, lines } = numbers
    const { dropped } = this.#front
    return {
      ...about(this.#closing === undefined ? 'ok' : 'stopping', this.#startedMs),
      matches,
      links,
      players,
      journal: journalStatus(numbers),
      lines,
      counters: { accepted, refused, faults, dropped, restarts, troubles },
      ...(workers === undefined ? {} : { workers }),
    }
  }

  matches() {
    return this.crew.summaries()
  }

  resume(match: string): Promise<boolean> {
    return this.crew.decide(match, 'resume')
  }

  endMatch(match: string): Promise<boolean> {
    return this.crew.decide(match, 'end')
  }

  kick(match: string, seat: number): Promise<boolean> {
    return this.crew.kick(match, seat)
  }

  async order<G extends GameShape, R, K extends keyof G['orders'] & string>(
    match: string,
    game: Game<G, R>,
    name: K,
    data: OrderData<G['orders'], K>,
  ): Promise<boolean> {
    return this.crew.order(match.normalize('NFC'), encodeRelayOrder(game, name, data))
  }

  async createMatch<G extends GameShape, R>(options: CreateMatchOptions<G, R>): Promise<void> {
    const problem = await this.crew.createMatch(newMatchOf(options))
    if (problem !== undefined) throw new UsageError('SS_CANNOT_CREATE', problem)
  }

  reloadTls(): void {
    this.#front.reloadTls()
  }

  reloadTokens(): void {
    this.#tokenCheck?.reload()
  }

  close(): Promise<void> {
    this.#closing ??= this.#close()
    this.#health.forget()
    return this.#closing
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.close()
  }

  /** What somebody reads who opens the address of the relay. */
  greeting(): readonly string[] {
    const page = this.#hasPages ? `A player opens     ${this.joinUrl('friday')}` : undefined
    return [
      'This is a Samestep relay.',
      'It passes on the orders of games; the games themselves are elsewhere.',
      '',
      `A game connects to ${this.url}, for example:`,
      '',
      `  const match = await joinMatch(game, { url: '${this.url}', match: 'friday', name: 'Ada' })`,
      '',
      'Whoever joins a match of a new name first makes it.',
      ...(page === undefined ? [] : [page]),
      `How it is          ${this.urls.http}/health`,
    ]
  }

  /** Listens for the end; gives its own undo. */
  onClosed(listener: () => void): () => void {
    this.#whenClosed.add(listener)
    return () => this.#whenClosed.delete(listener)
  }

  async #close(): Promise<void> {
    try {
      await this.crew.stop()
    } finally {
      await this.#front.close()
      for (const listener of [...this.#whenClosed]) listener()
    }
  }
}

function roomNotices(
  { connectionsMax = connectionsMaxDefault }: RelayServerOptions,
  { upgraded }: ConnectionRoom,
): readonly string[] {
  if (upgraded >= connectionsMax) return []
  return [
    `This process may open ${openFilesMax()} files: it takes ${upgraded} connections, not ${connectionsMax}; raise the limit (ulimit -n), or lower connectionsMax`,
  ]
}

function urlsOf({ host, port }: Front, crew: Crew, options: RelayServerOptions): RelayUrls {
  const shown = bracketed(shownHost(host))
  const secure = options.tls === undefined ? '' : 's'
  const base = options.publicUrl?.replace(/\/$/, '') ?? `http${secure}://${shown}:${port}`
  const websocket = base.replace(/^http/, 'ws')
  const others = crew.listeners.map(({ transport, url }) => {
    const path = transport === 'webrtc' ? new URL(url).pathname : ''
    return [transport, transport === 'webrtc' ? `${websocket}${path}` : withHost(url, shown)]
  })
  return { http: base, websocket, ...Object.fromEntries(others) }
}

/** All addresses of a machine are none that anybody can dial. */
function withHost(url: string, host: string): string {
  return url.replace(/\/\/(0\.0\.0\.0|\[::\])/, `//${host}`)
}

function shownHost(host: string): string {
  if (host !== '0.0.0.0' && host !== '::') return host
  const own = Object.values(networkInterfaces())
    .flat()
    .find((each) => each !== undefined && !each.internal && each.family === 'IPv4')
  return own?.address ?? 'localhost'
}
