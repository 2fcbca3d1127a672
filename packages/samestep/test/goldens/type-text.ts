import type { Json } from '../../src/sim/schema/index.ts'

type Description = { readonly kind: string; readonly [key: string]: Json }

/** A described type as a declaration writes it; `nameOf` may know a shorter name for it. */
export function typeText(json: Json, nameOf: (json: Json) => string | undefined): string {
  const known = nameOf(json)
  if (known !== undefined) return known
  const description = json as Description
  const { kind, min, max, values, table, fields } = description
  const inner = (key: string) => typeText(description[key] as Json, nameOf)
  switch (kind) {
    case 'text':
    case 'bytes':
      return `${kind}(${max})`
    case 'range':
      return `range(${min}, ${max})`
    case 'list':
    case 'set':
      return `${kind}(${inner('item')}, ${max})`
    case 'map':
      return `map(${inner('key')}, ${inner('value')}, ${max})`
    case 'optional':
      return `optional(${inner('item')})`
    case 'ref':
      return `ref(${table})`
    case 'oneOf':
      return `oneOf(${(values as string[]).join(', ')})`
    case 'struct': {
      const members = (fields as [string, Json][]).map(
        ([name, type]) => `${name}: ${typeText(type, nameOf)}`,
      )
      return `struct(${members.join(', ')})`
    }
    default:
      return kind
  }
}
