/** Lines of a change that are shown: enough to see what kind of change it is. */
const linesMax = 12

/** A line of vectors is cut here, so that it fits on a screen. */
const lineUnitsMax = 150

/** What changed in a file, for a person: the lines that went and came, or the sizes of bytes. */
export function describeChange(before: Uint8Array, after: Uint8Array, isText: boolean): string[] {
  if (!isText) {
    const first = after.findIndex((byte, index) => byte !== before[index])
    const at = first < 0 ? after.length : first
    return [`${before.length} → ${after.length} bytes, the first difference at byte ${at}`]
  }
  const [old, now] = [linesOf(before), linesOf(after)]
  const [gone, come] = [without(old, now), without(now, old)]
  if (gone.length === 0 && come.length === 0) return ['the same lines in another sequence']
  return [
    `${gone.length} lines went, ${come.length} came`,
    ...shorten(gone).map((line) => `- ${line}`),
    ...shorten(come).map((line) => `+ ${line}`),
  ]
}

function linesOf(bytes: Uint8Array): string[] {
  return Buffer.from(bytes)
    .toString()
    .split('\n')
    .map((line) => line.trim().replace(/,$/, ''))
}

/** The lines of one that the other does not have, as often as it has them more. */
function without(lines: readonly string[], others: readonly string[]): string[] {
  const counts = new Map<string, number>()
  for (const line of others) counts.set(line, (counts.get(line) ?? 0) + 1)
  return lines.filter((line) => {
    const left = counts.get(line) ?? 0
    counts.set(line, left - 1)
    return left <= 0
  })
}

function shorten(lines: readonly string[]): string[] {
  const shown = lines
    .slice(0, linesMax)
    .map((line) => (line.length > lineUnitsMax ? `${line.slice(0, lineUnitsMax)}…` : line))
  const rest = lines.length - shown.length
  return rest > 0 ? [...shown, `… and ${rest} more`] : shown
}
