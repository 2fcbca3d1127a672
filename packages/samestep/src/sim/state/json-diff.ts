import type { Json } from '../schema/field.ts'
import type { Difference, LeafValue } from './part.ts'

/** How many differences of one value are worth listing: enough to see a pattern, few to read. */
const differencesMax = 16

/** The innermost places where two JSON values differ, as `field.path[3].name`. */
export function diffJson(part: string, field: string, mine: Json, theirs: Json): Difference[] {
  const found: Difference[] = []
  walk(part, field, mine, theirs, found)
  return found
}

/** The innermost values of a JSON value, by their paths. What is empty stands for itself. */
export function listJson(field: string, json: Json): LeafValue[] {
  const found: LeafValue[] = []
  list(field, json, found)
  return found
}

function list(field: string, json: Json, found: LeafValue[]): void {
  if (isList(json) && json.length > 0) {
    json.forEach((item, index) => {
      list(`${field}[${index}]`, item, found)
    })
  } else if (isObject(json) && Object.keys(json).length > 0) {
    for (const key of Object.keys(json)) list(`${field}.${key}`, json[key] ?? null, found)
  } else found.push({ row: undefined, field, value: json })
}

function walk(part: string, field: string, mine: Json, theirs: Json, found: Difference[]): void {
  if (found.length >= differencesMax || mine === theirs) return
  if (isList(mine) && isList(theirs)) {
    for (let index = 0; index < Math.max(mine.length, theirs.length); index++) {
      walk(part, `${field}[${index}]`, mine[index] ?? null, theirs[index] ?? null, found)
    }
    return
  }
  if (isObject(mine) && isObject(theirs)) {
    for (const key of new Set([...Object.keys(mine), ...Object.keys(theirs)])) {
      walk(part, `${field}.${key}`, mine[key] ?? null, theirs[key] ?? null, found)
    }
    return
  }
  found.push({ part, row: undefined, field, mine, theirs })
}

function isList(json: Json): json is readonly Json[] {
  return Array.isArray(json)
}

function isObject(json: Json): json is { readonly [key: string]: Json } {
  return typeof json === 'object' && json !== null && !Array.isArray(json)
}
