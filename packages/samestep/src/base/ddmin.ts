/**
 * Delta debugging: the smallest part of a list that still fails, by trying parts and what is left
 * without them, in halves, quarters, eighths and so on down to single elements.
 *
 * `isFailing` is asked about subsequences of `items`; when it answers false for want of budget the
 * result is merely larger. Where every removal was tried, no single element of the result can go.
 */
export function ddmin<T>(
  items: readonly T[],
  isFailing: (subset: readonly T[]) => boolean,
): readonly T[] {
  if (items.length === 0 || isFailing([])) return []
  let kept = items
  let parts = 2
  while (kept.length >= 2) {
    const smaller = findSmaller(kept, Math.min(parts, kept.length), isFailing)
    if (smaller !== undefined) {
      parts = smaller.isPart ? 2 : Math.max(2, parts - 1)
      kept = smaller.items
    } else if (parts >= kept.length) break
    else parts = Math.min(kept.length, parts * 2)
  }
  return kept
}

function findSmaller<T>(
  items: readonly T[],
  parts: number,
  isFailing: (subset: readonly T[]) => boolean,
): { readonly items: readonly T[]; readonly isPart: boolean } | undefined {
  const edge = (part: number): number => Math.floor((items.length * part) / parts)
  for (let part = 0; part < parts; part++) {
    const subset = items.slice(edge(part), edge(part + 1))
    if (isFailing(subset)) return { items: subset, isPart: true }
  }
  // With two parts, each is what is left without the other.
  if (parts === 2) return undefined
  for (let part = 0; part < parts; part++) {
    const rest = [...items.slice(0, edge(part)), ...items.slice(edge(part + 1))]
    if (isFailing(rest)) return { items: rest, isPart: false }
  }
  return undefined
}
