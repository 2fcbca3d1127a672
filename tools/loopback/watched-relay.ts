import { RelayProcess } from '../../packages/samestep/src/server/testing/relay-process.ts'
import {
  childrenOf,
  cpuSeconds,
  descriptorCount,
  isAlive,
  peakMib,
  resetPeak,
  residentMib,
} from './process-figures.ts'
import { request } from './request.ts'
import { largePath, makeSite, pagePath } from './site.ts'

/** What `/health` tells. */
export interface Health {
  readonly status: string
  readonly matches: number
  readonly links: number
  readonly faults: number
  readonly workers?: readonly { readonly worker: number }[]
}

/** What a relay holds for its clients: when strangers are gone, it must be what it was before. */
export interface Standing {
  readonly links: number
  readonly matches: number
  readonly descriptors: number
}

/** How a relay is started. */
export interface WatchedOptions {
  readonly flags: readonly string[]
  /** Whether it serves pages too. */
  readonly hasPages: boolean
}

/** Pages that are loaded at the same time to see whether downloads work. */
const loadsAtOnce = 6

/** A relay of our own on loopback, and all that its processes show from outside. */
export class WatchedRelay {
  readonly process: RelayProcess
  readonly port: number
  readonly urls: { readonly websocket: string; readonly udp?: string }
  readonly hasPages: boolean
  readonly #pids: number[]
  readonly #removeSite: () => void

  private constructor(
    process: RelayProcess,
    started: Awaited<ReturnType<RelayProcess['started']>>,
    hasPages: boolean,
    removeSite: () => void,
  ) {
    this.process = process
    this.port = started.port
    this.urls = started.urls
    this.hasPages = hasPages
    this.#pids = [started.pid]
    this.#removeSite = removeSite
  }

  static async start({ flags, hasPages }: WatchedOptions): Promise<WatchedRelay> {
    const site = hasPages ? makeSite() : undefined
    const pages = site === undefined ? [] : ['--pages', site.folder]
    const common = ['--port', '0', '--json', '--log', 'warn']
    const process = new RelayProcess([...common, ...pages, ...flags])
    try {
      const started = await process.started()
      const relay = new WatchedRelay(process, started, hasPages, () => site?.remove())
      const { workers = [] } = (await relay.health()) ?? {}
      if (workers.length > 0) relay.#pids.push(...childrenOf(started.pid))
      return relay
    } catch (error) {
      process.kill()
      site?.remove()
      throw error
    }
  }

  /** Whether all of its processes are those that were started. */
  get isAlive(): boolean {
    return this.process.exitCode === undefined && this.#pids.every(isAlive)
  }

  /** What it says about itself; `undefined` when it does not answer. */
  async health(timeoutMs?: number): Promise<Health | undefined> {
    const { status, body } = await request(this.port, '/health', timeoutMs)
    return status === 200 ? (JSON.parse(body) as Health) : undefined
  }

  /** What it holds now; `undefined` when it does not answer or is dead. */
  async standing(): Promise<Standing | undefined> {
    const health = await this.health()
    if (health === undefined || !this.isAlive) return undefined
    const { links, matches } = health
    return { links, matches, descriptors: this.#sum(descriptorCount) }
  }

  /** The statuses of loads at the same time: a page, and what takes longer. */
  async loadPages(): Promise<readonly number[]> {
    if (!this.hasPages) return []
    const paths = Array.from({ length: loadsAtOnce }, (_, at) => (at === 0 ? pagePath : largePath))
    const answers = await Promise.all(paths.map((path) => request(this.port, path, 15_000)))
    return answers.map(({ status }) => status)
  }

  /** CPU time of all processes. */
  cpuSeconds(): number {
    return this.#sum(cpuSeconds)
  }

  residentMib(): number {
    return this.#sum(residentMib)
  }

  peakMib(): number {
    return this.#sum(peakMib)
  }

  resetPeak(): void {
    this.#sum((pid) => {
      resetPeak(pid)
      return 0
    })
  }

  /** Stops it as an operator does. Gives the exit code; a relay that hangs is killed. */
  async stop(): Promise<number | null> {
    this.process.kill('SIGTERM')
    const patience = setTimeout(() => this.process.kill('SIGKILL'), 10_000)
    const code = await this.process.ended()
    clearTimeout(patience)
    this.#removeSite()
    return code
  }

  /** A process that has ended, or ends at this moment, has nothing left. */
  #sum(figureOf: (pid: number) => number): number {
    return this.#pids.reduce((sum, pid) => {
      try {
        return sum + (figureOf(pid) || 0)
      } catch {
        return sum
      }
    }, 0)
  }
}
