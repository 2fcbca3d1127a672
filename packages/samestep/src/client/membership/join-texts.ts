import { engineVersion } from '../../sim/game/version.ts'
import type { AnyField } from '../../sim/schema/index.ts'
import { messageTypes } from '../../wire/messages.ts'
import type { Software } from '../../wire/software.ts'
import { showableText } from '../../wire/software.ts'
import { tidyText } from './encode-action.ts'

/** The texts that a client introduces itself with. */
export interface JoinTexts {
  readonly match: string
  readonly name: string
  readonly token: string | undefined
}

/**
 * The texts as they are sent, in the one form of Unicode that relays take, so that two that look the
 * same are the same. What a relay might refuse is its to refuse; here they only have to fit a message.
 *
 * @throws UsageError `SS_BAD_VALUE` for what is no text, or too long to be sent.
 */
export function joinTexts(options: {
  readonly match: string
  readonly name: string
  readonly token?: string | undefined
}): JoinTexts {
  const { match, name, token } = options
  // Whoever writes JavaScript may give anything; what is no text is refused below.
  const tidy = (text: string, form: (text: string) => string): string =>
    typeof text === 'string' ? form(text) : text
  const texts = {
    match: tidy(match, (text) => text.normalize('NFC')),
    name: tidy(name, tidyText),
    token,
  }
  const fields: { readonly [name: string]: AnyField } = messageTypes.ClientJoin.fields.fields
  for (const [key, text] of Object.entries(texts)) {
    const field: AnyField | undefined = fields[key]
    field?.check(text, key)
  }
  return texts
}

/** What the client runs on, in words that a relay takes. */
export function softwareOf(options: {
  readonly engine?: string | undefined
  readonly build?: string | undefined
}): Software {
  return {
    library: engineVersion,
    engine: showableText(options.engine ?? ''),
    build: showableText(options.build ?? ''),
  }
}
