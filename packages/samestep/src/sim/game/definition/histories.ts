import { UsageError } from '../../../base/errors.ts'
import type { Json } from '../../schema/field.ts'

/** Throws when a field begins, or ended, in a version that the game has not reached. */
export function checkHistories(path: string, description: Json, version: number): void {
  if (typeof description !== 'object' || description === null) return
  if (!Array.isArray(description)) {
    const { since, until } = description as { readonly since?: Json; readonly until?: Json }
    checkVersion(path, 'since', since, version)
    checkVersion(path, 'until', until, version)
  }
  for (const inner of Object.values(description as object)) {
    checkHistories(path, inner as Json, version)
  }
}

function checkVersion(path: string, word: string, value: Json | undefined, version: number): void {
  if (typeof value === 'number' && value > version) {
    throw new UsageError(
      'SS_BAD_DEFINITION',
      `Cannot declare a field of ${path} with ${word}(${value}): the game is at version ${version}; raise the game's version, or write ${word}(${version})`,
    )
  }
}
