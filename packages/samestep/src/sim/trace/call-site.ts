/**
 * Which line of game code is running. Taken from the engine's stack trace: V8 gives it in parts, and
 * can leave out the library's own functions on top; Firefox and Safari give a text of lines like
 * `name@file:line:column`.
 *
 * Where the host maps stack traces to the sources (test runners do, Node does when asked to), the text
 * of the trace has the original lines. Making that text is slow, so it is made once for each place,
 * and the parts tell places apart. Where nobody maps, positions are those of the code that runs, which
 * may be a bundle; then a resolver takes them back.
 */

/** A place in source code. Lines and columns count from 1. */
export interface CallSite {
  /** Empty at the top level of a module, or in a function without a name. */
  readonly functionName: string
  readonly file: string
  readonly line: number
  readonly column: number
}

/** Maps a place in generated code to its source; `undefined` if there is no source map for it. */
export type CallSiteResolver = (site: CallSite) => CallSite | undefined

/** Frames that are kept of one call: enough to see through a helper's helper to the system. */
export const framesMax = 6

/**
 * Frames asked for: array methods and the library's own take some between trap and game. Each one more
 * makes every write slower, by a twentieth.
 */
const framesAsked = 10

/** Functions whose callers are wanted have names that begin like this, for engines other than V8. */
const mark = 'samestepTraced'

// biome-ignore lint/complexity/noBannedTypes: any function can be where a trace begins.
type Any = Function

/** What V8 tells of one frame. */
interface V8Frame {
  getFunctionName(): string | null
  getFileName(): string | null | undefined
  getScriptNameOrSourceURL?(): string | null | undefined
  getLineNumber(): number | null
  getColumnNumber(): number | null
  isNative(): boolean
}

interface V8Error {
  captureStackTrace?(holder: object, above: Any): void
  prepareStackTrace?: unknown
  stackTraceLimit?: unknown
}

/** Places that are remembered: more than a game has lines that write. */
const placesMax = 16_384

/** Finds out who is calling, and remembers the answers. */
export class CallSites {
  readonly #known = new Map<string, readonly CallSite[]>()

  /**
   * The calls that led to the call of `above`, which itself is left out. Empty when the engine does
   * not tell.
   */
  capture(above: Any): readonly CallSite[] {
    const raw = captureParts(above)
    if (raw === undefined) return parseStack(String(new Error().stack ?? ''))
    let key = ''
    for (const { file, line, column } of raw) key += `${file}:${line}:${column}|`
    const known = this.#known.get(key)
    if (known !== undefined) return known
    const mapped = captureText(above)
    const frames = mapped.length === 0 ? raw : mapped
    if (this.#known.size >= placesMax) this.#known.clear()
    this.#known.set(key, frames)
    return frames
  }
}

/** V8's own parts of a stack trace; `undefined` in other engines, or where it is locked. */
function captureParts(above: Any): readonly CallSite[] | undefined {
  const v8 = Error as unknown as V8Error
  if (typeof v8.captureStackTrace !== 'function') return undefined
  const prepare = Object.getOwnPropertyDescriptor(v8, 'prepareStackTrace')
  try {
    v8.prepareStackTrace = (_error: unknown, frames: unknown) => frames
    const stack = captureStack(v8, above)
    return Array.isArray(stack) ? readParts(stack) : undefined
  } catch {
    // A frozen Error constructor: what text there is must do.
    return undefined
  } finally {
    restore(v8, 'prepareStackTrace', prepare)
  }
}

/** The same trace as text, as the host likes to show it. */
function captureText(above: Any): readonly CallSite[] {
  try {
    const stack = captureStack(Error as unknown as V8Error, above)
    return typeof stack === 'string' ? parseStack(stack) : []
  } catch {
    return []
  }
}

function captureStack(v8: V8Error, above: Any): unknown {
  const limit = Object.getOwnPropertyDescriptor(v8, 'stackTraceLimit')
  const holder: { stack?: unknown } = {}
  try {
    v8.stackTraceLimit = framesAsked
    v8.captureStackTrace?.(holder, above)
    return holder.stack
  } finally {
    restore(v8, 'stackTraceLimit', limit)
  }
}

/** Puts a property back as it was, as far as the host lets us. */
function restore(owner: object, key: string, was: PropertyDescriptor | undefined): void {
  if (was === undefined) Reflect.deleteProperty(owner, key)
  else Reflect.defineProperty(owner, key, was)
}

function readParts(stack: readonly V8Frame[]): readonly CallSite[] {
  const frames: CallSite[] = []
  for (const frame of stack) {
    const file = frame.getFileName() ?? frame.getScriptNameOrSourceURL?.() ?? ''
    const line = frame.getLineNumber() ?? 0
    // Array methods that run on a traced array stand in between, without a place.
    if (frame.isNative() || file === '' || line === 0) continue
    const functionName = frame.getFunctionName() ?? ''
    frames.push({ functionName, file, line, column: frame.getColumnNumber() ?? 0 })
    if (frames.length === framesMax) break
  }
  return frames
}

/** V8 with `at` before, Firefox and Safari with `@` in between. */
const v8Line = /^\s*at (?:(?:async )?(.*?) \()?(.+?):(\d+):(\d+)\)?$/
const otherLine = /^(.*?)@?((?:[a-z-]+:\/\/|\/|[A-Za-z]:[\\/])[^@]*?|[^@]+?):(\d+):(\d+)$/

/**
 * Reads the text of a stack trace, of whichever engine. Frames of the library that end with a marked
 * function are left out, together with what stands above.
 */
export function parseStack(stack: string): readonly CallSite[] {
  const frames: CallSite[] = []
  for (const line of stack.split('\n')) {
    const found = line.trimStart().startsWith('at ') ? v8Line.exec(line) : otherLine.exec(line)
    if (found === null) continue
    const functionName = (found[1] ?? '').trim()
    // What stands above the last marked function is the library's.
    if (functionName.split('.').some((word) => word.startsWith(mark))) {
      frames.length = 0
      continue
    }
    const file = found[2] as string
    if (file.includes('[native code]') || file === '<anonymous>') continue
    frames.push({ functionName, file, line: Number(found[3]), column: Number(found[4]) })
  }
  return frames.slice(0, framesMax)
}

/** Where this file stands in the library, in every build that keeps files apart. */
const ownPath = /sim\/trace\/call-site\.[jt]s(?:[?#].*)?$/

/** Asks who calls it, and is called by this file. */
function whoCalls(): readonly CallSite[] {
  return new CallSites().capture(whoCalls)
}

/** The directory of the library as stack traces name it, or `undefined` when it is in a bundle. */
export function libraryRoot(resolve?: CallSiteResolver): string | undefined {
  const frames = whoCalls()
  // Engines other than V8 do not leave out the function that asks.
  const own = frames[0]
  const site = own === undefined ? undefined : (resolve?.(own) ?? own)
  if (site === undefined || !ownPath.test(site.file)) return undefined
  return site.file.replace(ownPath, '')
}

/** Tells the library's own files, by their place below its root; its tests are game code. */
function isLibraryFile(file: string, root: string): boolean {
  if (!file.startsWith(root)) return false
  const path = file.slice(root.length)
  return /^(?:base|sim)\//.test(path) && !/\.test\.|\/testing\//.test(path)
}

/** The one function of the library that writes to the state by itself, for bundles without a map. */
const batchName = 'runBatch'

/**
 * The first frame that is not the library's, at its original place. Where all are (or none can be
 * told), the innermost.
 */
export function findGameSite(
  frames: readonly CallSite[],
  root: string | undefined,
  resolve?: CallSiteResolver,
): CallSite | undefined {
  for (const frame of frames) {
    const site = resolve?.(frame) ?? frame
    if (root === undefined ? site.functionName !== batchName : !isLibraryFile(site.file, root)) {
      return site
    }
  }
  return frames[0]
}
