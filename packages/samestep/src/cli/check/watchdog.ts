/**
 * Notices a rule that never returns. The check itself cannot: it waits for the rule. So a thread
 * watches whether ticks go on; when they have stopped for too long it asks the engine, as a debugger
 * does, at which line the check hangs, says so, and ends the process.
 */
import type { SourceMapPayload } from 'node:module'
import { Worker } from 'node:worker_threads'

/** What the thread is given. */
type Watch = {
  readonly beats: SharedArrayBuffer
  readonly limitMs: number
  readonly isJson: boolean
  readonly game: string
  readonly here: string
}

/** The built file and its map, so that the line is one of the source. */
export type WatchedMap = { readonly built: string; readonly payload: SourceMapPayload }

/** Ends the process when nothing happens for too long. */
export class Watchdog {
  readonly #beats = new Int32Array(new SharedArrayBuffer(8))
  readonly #worker: Worker

  constructor(game: string, limitMs: number, isJson: boolean) {
    const watch: Watch = {
      beats: this.#beats.buffer as SharedArrayBuffer,
      limitMs,
      isJson,
      game,
      here: process.cwd(),
    }
    const code = `(${watchBeats})(require, require('node:worker_threads'))`
    this.#worker = new Worker(code, { eval: true, workerData: watch, execArgv: [], stderr: true })
    this.#worker.unref()
  }

  /** A tick begins: the check is alive. */
  beat(tick: number): void {
    this.#beats[0] = ((this.#beats[0] as number) + 1) & 0xff_ffff
    this.#beats[1] = tick
  }

  /** Tells where the lines of the running file come from. */
  showMap(map: WatchedMap): void {
    this.#worker.postMessage(map)
  }

  /** Other processes are waited for: their own limits count now. */
  pause(): void {
    this.#beats[0] = -1
  }

  async close(): Promise<void> {
    await this.#worker.terminate()
  }
}

type Workers = typeof import('node:worker_threads')
type Frame = {
  readonly functionName: string
  readonly location: {
    readonly scriptId: string
    readonly lineNumber: number
    readonly columnNumber?: number
  }
}
type Place = { readonly file: string; readonly line: number; readonly column: number }

/** Runs in the thread, from its own text: nothing of this file is in reach there. */
function watchBeats(load: NodeJS.Require, { workerData, parentPort }: Workers): void {
  const { writeSync } = load('node:fs') as typeof import('node:fs')
  const { Session } = load('node:inspector') as typeof import('node:inspector')
  const { SourceMap } = load('node:module') as typeof import('node:module')
  const { fileURLToPath } = load('node:url') as typeof import('node:url')
  const { beats, limitMs, isJson, game, here } = workerData as Watch
  const seen = new Int32Array(beats)
  let map: WatchedMap | undefined
  let last = -1
  let sinceMs = Date.now()
  parentPort?.on('message', (told: WatchedMap) => {
    map = told
  })

  const placeOf = (url: string, frame: Frame): Place | undefined => {
    if (!url.startsWith('file:')) return undefined
    const file = fileURLToPath(url.replace(/\?.*$/, ''))
    const { lineNumber, columnNumber = 0 } = frame.location
    const plain = { file, line: lineNumber + 1, column: columnNumber + 1 }
    if (file !== map?.built) return /\/samestep\/(?:dist|src)\//.test(file) ? undefined : plain
    const entry = new SourceMap(map.payload).findEntry(lineNumber, columnNumber)
    if (!('originalSource' in entry) || !entry.originalSource) return plain
    return {
      file: fileURLToPath(entry.originalSource),
      line: entry.originalLine + 1,
      column: entry.originalColumn + 1,
    }
  }

  const say = (place: Place | undefined): void => {
    const tick = seen[1] as number
    const when = tick === 0 ? 'while it loads or is set up' : `at tick ${tick}`
    const message = `Cannot check ${game}: ${when}, it has not returned for ${limitMs / 1_000} seconds (--limit)`
    if (isJson) {
      const error = { code: 'SS_BAD_ARGUMENT', message, ...place }
      writeSync(1, `${JSON.stringify({ ok: false, error }, undefined, 2)}\n`)
      return
    }
    const path = place?.file.startsWith(`${here}/`)
      ? place.file.slice(here.length + 1)
      : place?.file
    const at = place === undefined ? '' : `\n  at ${path}:${place.line}:${place.column}`
    writeSync(2, `\n${message}${at}\n`)
  }

  const ask = (): void => {
    const session = new Session()
    session.connectToMainThread()
    const urls = new Map<string, string>()
    session.on('Debugger.scriptParsed', ({ params }) => {
      urls.set(params.scriptId, params.url)
    })
    session.on('Debugger.paused', ({ params }) => {
      const places = (params.callFrames as readonly Frame[]).map((frame) =>
        placeOf(urls.get(frame.location.scriptId) ?? '', frame),
      )
      say(places.find((place) => place !== undefined))
      session.post('Runtime.evaluate', { expression: 'process.reallyExit(2)' })
    })
    session.post('Debugger.enable')
    session.post('Debugger.pause')
  }

  const timer = setInterval(
    () => {
      if (seen[0] !== last || seen[0] === -1) {
        last = seen[0] as number
        sinceMs = Date.now()
      } else if (sinceMs > 0 && Date.now() - sinceMs >= limitMs) {
        sinceMs = -1
        clearInterval(timer)
        // Keeps the thread alive while it waits for the answer.
        setInterval(() => {}, 1_000)
        ask()
      }
    },
    Math.min(limitMs / 4, 250),
  )
}
