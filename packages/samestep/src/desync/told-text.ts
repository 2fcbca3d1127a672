import { isWellFormed, utf8Length } from '../base/utf8.ts'

/** A text that fits so many bytes of UTF-8: well-formed, and with an ellipsis where it was cut. */
export function tellText(text: string, bytesMax: number): string {
  const sound = isWellFormed(text) ? text : mend(text)
  if (utf8Length(sound) <= bytesMax) return sound
  let [end, bytes] = [0, 0]
  for (const character of sound) {
    bytes += utf8Length(character)
    if (bytes > bytesMax - ellipsisBytes) break
    end += character.length
  }
  return `${sound.slice(0, end)}…`
}

/** As {@link tellText}, for paths, whose end says more than their beginning. */
export function tellPath(path: string, bytesMax: number): string {
  const sound = isWellFormed(path) ? path : mend(path)
  let cut = sound
  while (utf8Length(cut) > bytesMax) {
    const slash = cut.search(/[\\/]./)
    if (slash < 0) return tellText(cut, bytesMax)
    cut = cut.slice(slash + 1)
  }
  return cut
}

/** Replaces halves of surrogate pairs, which have no bytes. */
function mend(text: string): string {
  let mended = ''
  for (const character of text) mended += isWellFormed(character) ? character : '\ufffd'
  return mended
}

const ellipsisBytes = 3
