import { encodeUtf8 } from '../../../base/utf8.ts'
import { toHex } from '../../hash/hex.ts'
import { sha256 } from '../../hash/sha256.ts'
import type { Json } from '../../schema/field.ts'
import type { PartDeclarations } from '../../state/part.ts'
import type { ContentManifest } from './content.ts'

declare const fingerprintBrand: unique symbol

/** 64 hex digits that identify everything two machines must agree on before they play. */
export type Fingerprint = string & { readonly [fingerprintBrand]: true }

/** What goes into a fingerprint. */
export interface FingerprintParts {
  readonly definition: {
    readonly id: string
    readonly version: number
    readonly seats: { readonly min: number; readonly max: number }
    readonly state: PartDeclarations
    readonly derived?: object
    readonly source?: string | readonly string[]
    readonly content?: ContentManifest
  }
  readonly tickRate: number
  readonly orders: Json
  readonly input: Json
  readonly options: Json
  readonly systems: readonly string[]
  readonly streams: readonly string[]
}

/**
 * Hashes id, version, schema, options, rules and, where given, the simulation's source and its content.
 * The code of `step` itself is not seen otherwise: a function's text differs between builds of the same source.
 */
export function fingerprintOf(parts: FingerprintParts): Fingerprint {
  const { definition } = parts
  const { id, version, seats, source, content } = definition
  const described: Json = {
    samestep: 1,
    id,
    version,
    tickRate: parts.tickRate,
    seats: [seats.min, seats.max],
    state: Object.entries(definition.state).map(([name, part]) => [name, part.describe()]),
    orders: parts.orders,
    input: parts.input,
    options: parts.options,
    systems: [...parts.systems],
    random: [...parts.streams],
    source: source === undefined ? null : typeof source === 'string' ? [source] : [...source],
    // A game without files has the fingerprint that it would have if there were no manifests.
    ...(content === undefined ? {} : { content: { ...content } }),
  }
  return toHex(sha256(encodeUtf8(canonicalJson(described)))) as Fingerprint
}

/** JSON with sorted keys: one text for one value, in whichever sequence it was put together. */
export function canonicalJson(json: Json): string {
  if (typeof json !== 'object' || json === null) return JSON.stringify(json)
  if (Array.isArray(json)) return `[${json.map(canonicalJson).join(',')}]`
  const entries = Object.entries(json as { readonly [key: string]: Json })
  // Code units, not locale: the same sequence everywhere.
  entries.sort(([a], [b]) => (a < b ? -1 : 1))
  const members = entries.map(([key, value]) => `${JSON.stringify(key)}:${canonicalJson(value)}`)
  return `{${members.join(',')}}`
}
