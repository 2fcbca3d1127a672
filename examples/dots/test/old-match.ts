/** A match of dots that has run for long, in no time, and then goes on in real time at a real port. */
import { join } from 'node:path'
import type { Match } from 'samestep'
import { joinMatch } from 'samestep'
import { VirtualTiming } from 'samestep/testing'
import { StaticPages } from '../../../packages/samestep/src/server/pages/static-pages.ts'
import { root } from '../../../tools/programs.ts'
import { dots } from '../src/game.ts'

/** As they were built: the game is of that build too. */
const built = (path: string) => join(root, 'packages', 'samestep', 'dist', path)
const { Relay }: typeof import('../../../packages/samestep/src/relay/relay.ts') = await import(
  built('relay/relay.js')
)
const {
  RelayDriver,
}: typeof import('../../../packages/samestep/src/driver/machines/relay-driver.ts') = await import(
  built('driver/machines/relay-driver.js')
)
const { listenInMemory }: typeof import('../../../packages/samestep/src/transport/memory.ts') =
  await import(built('transport/memory.js'))
const {
  listenWebSocket,
}: typeof import('../../../packages/samestep/src/transport/node/websocket-server.ts') =
  await import(built('transport/node/websocket-server.js'))

/** Real time is caught up with in steps of that: a busy machine makes the match slow, never jumpy. */
const stepMsMax = 20

/** A relay of one match, its two players without a screen, and the clock that all of them share. */
export class OldMatch {
  readonly url: string
  readonly match: Match<never, never>
  readonly #timing: VirtualTiming
  readonly #close: () => void
  #isClosed = false

  private constructor(
    url: string,
    match: Match<never, never>,
    timing: VirtualTiming,
    close: () => void,
  ) {
    this.url = url
    this.match = match
    this.#timing = timing
    this.#close = close
  }

  /** Plays for so long, and opens a port. `pages` is the folder of the page. */
  static async open(name: string, playedMs: number, pages: string): Promise<OldMatch> {
    const timing = new VirtualTiming()
    const relay = new RelayDriver(
      new Relay({ randomBytes: (count) => crypto.getRandomValues(new Uint8Array(count)) }),
      {},
      timing,
    )
    const door = listenInMemory((connection) => relay.accept(connection), { kind: 'stream' })
    const matches: Match<never, never>[] = []
    for (const player of ['Ada', 'Bo']) {
      const joining = joinMatch(dots, {
        match: name,
        name: player,
        seats: 2,
        dial: door.dial,
        timing,
        remember: false,
        guard: false,
      })
      await finish(joining, timing)
      matches.push((await joining) as unknown as Match<never, never>)
    }
    await timing.pass(playedMs)
    const files = await StaticPages.open(pages)
    const listener = await listenWebSocket((connection) => relay.accept(connection), {
      origins: 'any',
      onRequest: (request, response) => {
        if (request.url === '/favicon.ico') response.writeHead(204).end()
        else void files.answer(request, response)
      },
    })
    const close = () => {
      for (const match of matches) match.close()
      relay.stop()
      void listener.close()
    }
    const old = new OldMatch(listener.url.replace('ws:', 'http:'), matches[0]!, timing, close)
    void old.#goOn()
    return old
  }

  /** The time of the match, in ms. */
  get nowMs(): number {
    return this.#timing.nowMs()
  }

  close(): void {
    this.#isClosed = true
    this.#close()
  }

  async #goOn(): Promise<void> {
    for (let lastMs = performance.now(); !this.#isClosed; ) {
      await new Promise((resolve) => setTimeout(resolve, 4))
      const nowMs = performance.now()
      await this.#timing.pass(Math.min(nowMs - lastMs, stepMsMax))
      lastMs = nowMs
    }
  }
}

async function finish(joining: Promise<unknown>, timing: VirtualTiming): Promise<void> {
  let isDone = false
  const done = () => {
    isDone = true
  }
  joining.then(done, done)
  while (!isDone) {
    await timing.pass(5)
    // What is loaded when it is needed comes from the disk.
    await new Promise((resolve) => setImmediate(resolve))
  }
}
