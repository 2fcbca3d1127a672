/**
 * Which characters a stranger's text may have, by tables of code points: the same answer on every
 * engine, whatever version of Unicode it was built with. A name or a line of chat is drawn on other
 * people's screens and written into logs; nothing in it may move a cursor, turn the direction of
 * writing around, or be invisible (SEC-05).
 */

/** What is wrong with a text. */
export type TextFault =
  /** There is nothing, or nothing that can be seen. */
  | 'empty'
  /** More code points than allowed. */
  | 'too-long'
  /** A control character, a line break, or one that terminals and parsers obey. */
  | 'control'
  /** A character that turns the direction of writing around for what follows. */
  | 'direction'
  /** Half a surrogate pair, or a code point that stands for no character in any version. */
  | 'no-character'
  /** A character that shows nothing and tells two texts apart all the same. */
  | 'invisible'
  /** A space at an end or beside another one: two names would look the same. Only in names. */
  | 'spacing'

type Range = readonly [first: number, last: number, fault: TextFault]

/** What is refused, in sequence and without overlap. Non-characters at the ends of planes: below. */
const ranges: readonly Range[] = [
  [0x0000, 0x001f, 'control'],
  [0x007f, 0x009f, 'control'],
  // A soft hyphen shows only where a line breaks.
  [0x00ad, 0x00ad, 'invisible'],
  [0x034f, 0x034f, 'invisible'],
  [0x061c, 0x061c, 'direction'],
  // Fillers that are letters by name, and blank.
  [0x115f, 0x1160, 'invisible'],
  [0x17b4, 0x17b5, 'invisible'],
  [0x180e, 0x180e, 'invisible'],
  [0x200b, 0x200b, 'invisible'],
  // 200C and 200D are left out: Persian, Hindi and many pictures are written with joiners.
  [0x200e, 0x200f, 'direction'],
  [0x2028, 0x2029, 'control'],
  [0x202a, 0x202e, 'direction'],
  [0x2060, 0x2065, 'invisible'],
  [0x2066, 0x2069, 'direction'],
  [0x206a, 0x206f, 'control'],
  [0x3164, 0x3164, 'invisible'],
  [0xd800, 0xdfff, 'no-character'],
  [0xfdd0, 0xfdef, 'no-character'],
  [0xfeff, 0xfeff, 'invisible'],
  [0xffa0, 0xffa0, 'invisible'],
  [0xfff0, 0xfffb, 'control'],
  [0x1bca0, 0x1bca3, 'control'],
  [0x1d173, 0x1d17a, 'control'],
  // Tags: a whole message can be hidden in them. Three flags and rare variants of Chinese characters
  // are written with them, and are lost.
  [0xe0000, 0xe0fff, 'invisible'],
]

/** Spaces other than the ordinary one, which a name may not have. */
const wideSpaces: readonly (readonly [number, number])[] = [
  [0x00a0, 0x00a0],
  [0x1680, 0x1680],
  [0x2000, 0x200a],
  [0x202f, 0x202f],
  [0x205f, 0x205f],
  // The Braille pattern without a dot: no space by name, but blank.
  [0x2800, 0x2800],
  [0x3000, 0x3000],
]

/** What is wrong with a code point in any text. */
export function codePointFault(point: number): TextFault | undefined {
  // Most text: no look into the table.
  if (point >= 0x20 && point < 0x7f) return undefined
  // The last two of every plane.
  if ((point & 0xfffe) === 0xfffe) return 'no-character'
  for (const [first, last, fault] of ranges) {
    if (point < first) return undefined
    if (point <= last) return fault
  }
  return undefined
}

/** What is wrong with a text of one line, such as chat; `undefined` when nothing is. */
export function lineFault(text: string, codePointsMax: number): TextFault | undefined {
  // A code point is at most two units: a text that is far too long is not even looked at.
  if (text.length > 2 * codePointsMax) return 'too-long'
  let count = 0
  let isVisible = false
  for (let at = 0; at < text.length; ) {
    const point = text.codePointAt(at) as number
    const fault = codePointFault(point)
    if (fault !== undefined) return fault
    at += point > 0xffff ? 2 : 1
    count += 1
    if (!isSpace(point) && !isJoiner(point)) isVisible = true
  }
  if (count > codePointsMax) return 'too-long'
  return isVisible ? undefined : 'empty'
}

/** What is wrong with a name, which must not look like another one; `undefined` when nothing is. */
export function nameFault(name: string, codePointsMax: number): TextFault | undefined {
  const fault = lineFault(name, codePointsMax)
  if (fault !== undefined) return fault
  if (name.startsWith(' ') || name.endsWith(' ') || name.includes('  ')) return 'spacing'
  for (let at = 0; at < name.length; at++) {
    const unit = name.charCodeAt(at)
    if (unit !== 0x20 && isSpace(unit)) return 'spacing'
  }
  return undefined
}

/** Joiners and the selectors of variants: they shape their neighbours and are nothing alone. */
function isJoiner(point: number): boolean {
  if (point === 0x200c || point === 0x200d) return true
  return (point >= 0x180b && point <= 0x180f) || (point >= 0xfe00 && point <= 0xfe0f)
}

function isSpace(point: number): boolean {
  if (point === 0x20) return true
  return point >= 0xa0 && wideSpaces.some(([first, last]) => point >= first && point <= last)
}
