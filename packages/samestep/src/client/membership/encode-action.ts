import { UsageError } from '../../base/errors.ts'
import type { AnyField } from '../../sim/schema/index.ts'
import { encodeMessage } from '../../wire/messages/messages.ts'
import type { RoomAction } from '../../wire/messages/room-actions.ts'
import {
  actionParts,
  partFields,
  roomActionTypes,
  writeAction,
} from '../../wire/messages/room-actions.ts'

/** What a person typed, as it is sent: one form for every letter, and no space at the ends. */
export function tidyText(text: string): string {
  return text.normalize('NFC').trim()
}

/**
 * The bytes of a wish about the match. Checked here, in the words of who wishes: a relay takes what is
 * no action for an attack, and closes the session.
 *
 * @throws UsageError `SS_BAD_ARGUMENT` for no action that there is, `SS_BAD_VALUE` for one that lacks
 * something or has a value that cannot be said.
 */
export function encodeAction(action: RoomAction): Uint8Array {
  const { type } = (action ?? {}) as Partial<RoomAction>
  if (type === undefined || !Object.hasOwn(actionParts, type)) {
    throw new UsageError(
      'SS_BAD_ARGUMENT',
      `Cannot act '${String(type)}': the actions are ${[...roomActionTypes].sort().join(', ')}`,
    )
  }
  const values = action as unknown as { readonly [part: string]: unknown }
  for (const [part, field] of partFields(type)) checkPart(type, part, field, values[part])
  const tidy = action.type === 'say' ? { ...action, text: tidyText(action.text) } : action
  return encodeMessage('ClientAct', writeAction(tidy))
}

function checkPart(type: string, part: string, field: AnyField, value: unknown): void {
  if (value === undefined) {
    const example = JSON.stringify(field.makeDefault())
    throw new UsageError(
      'SS_BAD_VALUE',
      `Cannot act '${type}': ${part} is missing, as in { type: '${type}', ${part}: ${example} }`,
    )
  }
  const checked: AnyField = field
  checked.check(value as never, `${type}.${part}`)
}
