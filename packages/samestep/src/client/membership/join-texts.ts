import { engineVersion } from '../../sim/game/copies/version.ts'
import type { GameShape } from '../../sim/game/definition/context.ts'
import type { AnyField } from '../../sim/schema/index.ts'
import type { MatchConfig } from '../../wire/messages/match-config.ts'
import type { MessageBody } from '../../wire/messages/messages.ts'
import { messageTypes } from '../../wire/messages/messages.ts'
import type { Software } from '../../wire/messages/software.ts'
import { showableText } from '../../wire/messages/software.ts'
import type { ClientOptions } from './client-options.ts'
import { tidyText } from './encode-action.ts'

/** The texts that a client introduces itself with. */
export interface JoinTexts {
  readonly match: string
  readonly name: string
  readonly token: string | undefined
}

/** What a client says of itself beside texts. */
export type IntroductionOptions = Pick<
  ClientOptions<GameShape>,
  'role' | 'ticket' | 'secret' | 'engine' | 'build'
>

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

/** Who asks, for what: the same as before for whoever was let in before. */
export function introduction(
  { role = 'player', ticket, secret, ...own }: IntroductionOptions,
  seated: MessageBody<'RelaySeated'> | undefined,
  config: MatchConfig,
): Pick<MessageBody<'ClientJoin'>, 'role' | 'config' | 'ticket' | 'secret' | 'software'> {
  return {
    role,
    config: seated?.config ?? config,
    ticket: seated?.ticket ?? ticket,
    // It is told once: whoever reads a later join must not learn it.
    secret: seated === undefined ? secret : undefined,
    software: softwareOf(own),
  }
}

/** What the client runs on, in words that a relay takes. */
function softwareOf(options: {
  readonly engine?: string | undefined
  readonly build?: string | undefined
}): Software {
  return {
    library: engineVersion,
    engine: showableText(options.engine ?? ''),
    build: showableText(options.build ?? ''),
  }
}
