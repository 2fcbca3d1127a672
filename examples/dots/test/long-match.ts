import { readFileSync } from 'node:fs'
import type { IncomingMessage, ServerResponse } from 'node:http'
import { join, normalize } from 'node:path'
import { joinMatch } from 'samestep'
import { RelayDriver } from '../../../packages/samestep/src/driver/machines/relay-driver.ts'
import { Relay } from '../../../packages/samestep/src/relay/relay.ts'
import { listenInMemory } from '../../../packages/samestep/src/transport/memory.ts'
import { listenWebSocket } from '../../../packages/samestep/src/transport/node/websocket-server.ts'
import { machineTiming } from '../../../packages/samestep/src/transport/timing.ts'
import { VirtualTiming } from '../../../packages/samestep/src/transport/virtual-timing.ts'
import { dots } from '../src/game.ts'

/** Time that can be made to pass at once, and that goes as the machine's does from then on. */
class FastForward {
  readonly #virtual = new VirtualTiming()
  /** Machine time at which the two clocks met; `undefined` while time is made. */
  #metAtMs: number | undefined
  /** Timers that were set before, with the time at which they are due. */
  readonly #early = new Map<object, { readonly callback: () => void; readonly atMs: number }>()

  readonly nowMs = (): number => {
    const sinceMs = this.#metAtMs === undefined ? 0 : machineTiming.nowMs() - this.#metAtMs
    return this.#virtual.nowMs() + sinceMs
  }

  readonly schedule = (callback: () => void, delayMs: number): (() => void) => {
    if (this.#metAtMs !== undefined) return machineTiming.schedule(callback, delayMs)
    const key = {}
    const atMs = this.#virtual.nowMs() + Math.max(delayMs, 0)
    this.#early.set(key, { callback, atMs })
    let undo = this.#virtual.schedule(() => {
      this.#early.delete(key)
      callback()
    }, delayMs)
    this.#undos.set(key, (next) => {
      undo = next
    })
    return () => {
      this.#early.delete(key)
      undo()
    }
  }

  readonly #undos = new Map<object, (undo: () => void) => void>()

  async pass(ms: number): Promise<void> {
    await this.#virtual.pass(ms)
  }

  /** From here on time goes by itself. */
  letGo(): void {
    this.#metAtMs = machineTiming.nowMs()
    for (const [key, { callback, atMs }] of this.#early) {
      const undo = machineTiming.schedule(callback, atMs - this.#virtual.nowMs())
      this.#undos.get(key)?.(undo)
    }
    this.#early.clear()
    this.#undos.clear()
  }
}

/** A match of dots between two programs that has run for so long, on a relay that pages can reach. */
export async function makeLongMatch(minutes: number, pages: string) {
  const timing = new FastForward()
  const relay = new Relay({ randomBytes: (count) => crypto.getRandomValues(new Uint8Array(count)) })
  const driver = new RelayDriver(relay, {}, timing)
  const door = listenInMemory((connection) => driver.accept(connection))
  const joining = ['Ada', 'Bo'].map((name) => {
    return joinMatch(dots, { dial: door.dial, match: 'long', name, seats: 2, timing })
  })
  const joined = Promise.all(joining)
  await timing.pass(2_000)
  const players = await joined
  await timing.pass(minutes * 60_000)
  timing.letGo()
  const listener = await listenWebSocket((connection) => driver.accept(connection), {
    onRequest: (request, response) => servePage(pages, request, response),
  })
  return {
    players,
    url: listener.url.replace('ws:', 'http:'),
    close: async () => {
      for (const player of players) player.close()
      await listener.close()
      driver.stop()
    },
  }
}

const types: Readonly<Record<string, string>> = {
  html: 'text/html',
  js: 'text/javascript',
  css: 'text/css',
}

function servePage(folder: string, { url = '/' }: IncomingMessage, response: ServerResponse): void {
  const { pathname } = new URL(url, 'http://page')
  const file = join(folder, normalize(pathname === '/' ? 'index.html' : pathname))
  try {
    const content = readFileSync(file)
    const type = types[file.split('.').at(-1) as string] ?? 'text/plain'
    response.writeHead(200, { 'content-type': type }).end(content)
  } catch {
    response.writeHead(404).end()
  }
}
