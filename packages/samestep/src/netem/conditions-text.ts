/** Conditions as one writes them on a command line: `latency=80,jitter=20,loss=5%`. */
import { UsageError } from '../base/errors.ts'
import type { PathPatch } from './conditions.ts'
import { clearPath, patchConditions } from './conditions.ts'

/** What a text says about the two directions. */
export interface ConditionsText {
  readonly sending: PathPatch
  readonly receiving: PathPatch
}

type Mutable = { -readonly [K in keyof PathPatch]: PathPatch[K] }
type Key = { readonly example: string; readonly read: (value: string) => PathPatch | undefined }

/** Every key, with an example of its value. */
const keys: ReadonlyMap<string, Key> = new Map<string, Key>([
  ['latency', { example: '80', read: (value) => one('latencyMs', readMs(value)) }],
  ['jitter', { example: '20', read: (value) => one('jitterMs', readMs(value)) }],
  ['loss', { example: '5%', read: (value) => one('loss', readShare(value)) }],
  ['burst', { example: '8s/300ms/80%', read: readBurst }],
  ['duplicate', { example: '1%', read: (value) => one('duplicate', readShare(value)) }],
  ['reorder', { example: '2%/4', read: readReorder }],
  ['corrupt', { example: '0.1%', read: (value) => one('corrupt', readShare(value)) }],
  ['bandwidth', { example: '64k', read: (value) => one('bytesPerSecond', readBytes(value)) }],
  ['header', { example: '28', read: (value) => one('headerBytes', readBytes(value)) }],
  ['queue', { example: '32k', read: (value) => one('queueBytes', readBytes(value)) }],
  ['mtu', { example: '1200', read: (value) => one('packetBytesMax', readBytes(value)) }],
  ['cut', { example: 'yes', read: (value) => one('isCut', readYes(value)) }],
  ['stall', { example: 'yes', read: (value) => one('isClogged', readYes(value)) }],
])

/** Whole sets of conditions, each direction alike, by what one would call such a line. */
export const conditionPresets = {
  /** A wire to a relay in the same country. */
  good: { latencyMs: 10, jitterMs: 1 },
  /** A full flat of neighbours on the same channel. */
  wifi: {
    latencyMs: 15,
    jitterMs: 6,
    loss: 0.01,
    burst: { everyMs: 8_000, lengthMs: 120, loss: 0.5 },
  },
  /** A phone on the move. */
  mobile: { latencyMs: 45, jitterMs: 15, loss: 0.02, bytesPerSecond: 125_000 },
  /** The other side of the world over a satellite that it rains on. */
  awful: {
    latencyMs: 150,
    jitterMs: 40,
    loss: 0.1,
    burst: { everyMs: 5_000, lengthMs: 400, loss: 0.9 },
    duplicate: 0.01,
    reorder: 0.05,
    corrupt: 0.002,
  },
} as const satisfies Readonly<Record<string, PathPatch>>

/**
 * Parses conditions from a text: presets (`mobile`) and `key=value`, separated by commas; later ones
 * override earlier ones. They apply to both directions unless the key starts with `send.` or `receive.`.
 * Times are in milliseconds (`80`, `80ms`, `1.5s`), shares have a `%` or are from 0 to 1, bytes may have a
 * `k` or `M`. Throws `SS_BAD_ARGUMENT` with a message that lists what is allowed.
 */
export function parseConditions(text: string): ConditionsText {
  const sending: Mutable = {}
  const receiving: Mutable = {}
  for (const part of text.split(',').map((each) => each.trim())) {
    if (part === '') continue
    const { way, patch } = readPart(part)
    if (way !== 'receive') Object.assign(sending, patch)
    if (way !== 'send') Object.assign(receiving, patch)
  }
  // Finds what each key alone cannot know: ranges.
  patchConditions(clearPath, sending)
  patchConditions(clearPath, receiving)
  return { sending, receiving }
}

function readPart(part: string): { way: string; patch: PathPatch } {
  const [, way = 'both', name = '', value] =
    /^(?:(send|receive)\.)?([^=]*)(?:=(.*))?$/.exec(part) ?? []
  const preset = Object.entries(conditionPresets).find(([known]) => known === name)
  if (preset !== undefined && value === undefined) return { way, patch: preset[1] }
  const key = keys.get(name)
  if (key === undefined) {
    const allowed = [...keys].map(([known, { example }]) => `${known}=${example}`).join(', ')
    const presets = Object.keys(conditionPresets).join(', ')
    throw new UsageError(
      'SS_BAD_ARGUMENT',
      `Cannot read the condition ${JSON.stringify(part)}: it must be one of ${allowed}, with send. or receive. before it for one direction, or one of ${presets}`,
    )
  }
  const patch = key.read(value ?? 'yes')
  if (patch !== undefined) return { way, patch }
  throw new UsageError(
    'SS_BAD_ARGUMENT',
    `Cannot read the condition ${JSON.stringify(part)}: it must look like ${name}=${key.example}`,
  )
}

function one<K extends keyof PathPatch>(field: K, value: PathPatch[K]): PathPatch | undefined {
  return value === undefined ? undefined : { [field]: value }
}

function readNumber(text: string): number | undefined {
  return /^\d+(\.\d+)?$/.test(text) ? Number(text) : undefined
}

function readScaled(text: string, scales: Readonly<Record<string, number>>): number | undefined {
  const [, digits = '', unit = ''] = /^([\d.]+)([a-zA-Z%]*)$/.exec(text) ?? []
  const value = readNumber(digits)
  const scale = Object.hasOwn(scales, unit) ? scales[unit] : undefined
  return value === undefined || scale === undefined ? undefined : value * scale
}

function readMs(text: string): number | undefined {
  return readScaled(text, { '': 1, ms: 1, s: 1000 })
}

function readShare(text: string): number | undefined {
  const share = text.endsWith('%') ? divide(readNumber(text.slice(0, -1)), 100) : readNumber(text)
  return share !== undefined && share <= 1 ? share : undefined
}

function divide(value: number | undefined, by: number): number | undefined {
  return value === undefined ? undefined : value / by
}

function readBytes(text: string): number | undefined {
  return readScaled(text, { '': 1, k: 1_000, M: 1_000_000 })
}

function readYes(text: string): boolean | undefined {
  if (text === 'yes') return true
  return text === 'no' ? false : undefined
}

function readBurst(text: string): PathPatch | undefined {
  if (text === 'no') return { burst: null }
  const [every = '', length = '', share = '', ...rest] = text.split('/')
  const [everyMs, lengthMs, loss] = [readMs(every), readMs(length), readShare(share)]
  if (everyMs === undefined || lengthMs === undefined || loss === undefined) return undefined
  return rest.length === 0 ? { burst: { everyMs, lengthMs, loss } } : undefined
}

function readReorder(text: string): PathPatch | undefined {
  const [share = '', count, ...rest] = text.split('/')
  const reorder = readShare(share)
  const reorderPackets = count === undefined ? clearPath.reorderPackets : readNumber(count)
  if (reorder === undefined || reorderPackets === undefined || rest.length > 0) return undefined
  return Number.isInteger(reorderPackets) ? { reorder, reorderPackets } : undefined
}
