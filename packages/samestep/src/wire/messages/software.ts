import { codePointFault, nameFault } from '../../base/text-rules.ts'
import { utf8Length } from '../../base/utf8.ts'
import type { StructField } from '../../sim/schema/index.ts'
import { struct, text } from '../../sim/schema/index.ts'
import { softwareBytesMax } from '../limits.ts'

/**
 * What a client runs on (JOIN-03). It decides nothing: engines agree bit for bit, or are refused when
 * they start. When machines disagree nevertheless, it is the first thing to look at, and only the relay
 * knows it of all of them. Other players are not told.
 */
export const softwareFields = struct({
  /** The library, as `samestep 0.1.0`. */
  library: text(softwareBytesMax),
  /** What runs it, as `Firefox 128.0` or `Node 20.20.2, V8 11.3, x64`. */
  engine: text(softwareBytesMax),
  /** Which build of the game it is, in the game's own words. */
  build: text(softwareBytesMax),
})

/** What a client runs on; texts are empty where nothing is known. */
export type Software = typeof softwareFields extends StructField<infer T> ? T : never

/** Whether these are texts that may be shown and logged: those of names, or empty. */
export function isShowable({ library, engine, build }: Software): boolean {
  return [library, engine, build].every(
    (one) => one === '' || (nameFault(one, softwareBytesMax) ?? formFault(one)) === undefined,
  )
}

function formFault(one: string): true | undefined {
  return one === one.normalize('NFC') ? undefined : true
}

/** A text from anywhere, without what may not be shown, and cut to what fits. */
export function showableText(wild: string): string {
  let tidy = ''
  for (const character of wild.slice(0, 4 * softwareBytesMax).normalize('NFC')) {
    const isBad = codePointFault(character.codePointAt(0) as number) !== undefined
    tidy += isBad || /\s/u.test(character) ? ' ' : character
  }
  let short = ''
  for (const character of tidy.replace(/ +/gu, ' ').trim()) {
    if (utf8Length(short + character) > softwareBytesMax) break
    short += character
  }
  const cut = short.trim()
  // What is still none has no letter that can be seen, such as joiners alone.
  return isShowable({ library: '', engine: '', build: cut }) ? cut : ''
}
