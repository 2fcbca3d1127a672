import type { TextFault } from '../base/text-rules.ts'
import { lineFault, nameFault } from '../base/text-rules.ts'
import { chatCodePointsMax, matchNameBytesMax, nameCodePointsMax } from './limits.ts'

/**
 * Whether a text is in the form in which texts are sent. Besides the characters (`text-rules.ts`), it
 * is normalised (NFC), so that two texts that look the same have the same bytes.
 *
 * That check asks the engine, and so it is here and not in `base`: engines differ in their version of
 * Unicode, and may disagree on characters that one of them does not know yet. (On all others they
 * agree for ever, by the stability policy of Unicode.) It decides about no state: a client normalises
 * before it sends, and the relay alone judges; everybody else takes what the relay passes on.
 */

/** Why a text is not passed on. */
export type TextRefusal = TextFault | 'not-normal'

/** What is wrong with a player's name; `undefined` when nothing is. */
export function checkName(name: string): TextRefusal | undefined {
  return nameFault(name, nameCodePointsMax) ?? formFault(name)
}

/**
 * What is wrong with the name of a match; `undefined` when nothing is. It is written into logs and
 * shown to everybody who asks for the match, so it is held to the rules of players' names.
 */
export function checkMatchName(name: string): TextRefusal | undefined {
  return nameFault(name, matchNameBytesMax) ?? formFault(name)
}

/** What is wrong with a line of chat; `undefined` when nothing is. */
export function checkChat(text: string): TextRefusal | undefined {
  return lineFault(text, chatCodePointsMax) ?? formFault(text)
}

/** Only asked about short texts: normalising a long one takes long. */
function formFault(text: string): 'not-normal' | undefined {
  return text === text.normalize('NFC') ? undefined : 'not-normal'
}
