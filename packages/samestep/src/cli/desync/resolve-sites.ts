import type { ComparedPair, DesyncFile } from '../../desync/report-file.ts'
import type { CallSite, CallSiteResolver } from '../../sim/trace/call-site.ts'
import type { ProbeEntry } from '../../wire/messages/desync-probes.ts'

/** A report whose lines are those of the sources, where the resolver knows them. */
export function resolveSites(file: DesyncFile, resolve: CallSiteResolver): DesyncFile {
  const known = <T extends { readonly site: CallSite | undefined }>(entry: T): T =>
    entry.site === undefined ? entry : { ...entry, site: resolve(entry.site) ?? entry.site }
  const told = file.told && { ...file.told, writes: file.told.writes.map(known) }
  return { ...file, told, pairs: file.pairs.map((pair) => resolvePair(pair, known)) }
}

function resolvePair(pair: ComparedPair, known: (entry: ProbeEntry) => ProbeEntry): ComparedPair {
  const { write, outside } = pair.finding
  const side = (index: 0 | 1) => {
    const changed = outside[index]
    return changed && { ...changed, unstable: changed.unstable && known(changed.unstable) }
  }
  const [a, b] = write?.sides ?? []
  return {
    ...pair,
    finding: {
      ...pair.finding,
      outside: [side(0), side(1)],
      write: write && {
        ...write,
        sides: [a && known(a), b && known(b)],
        excerpts: [write.excerpts[0].map(known), write.excerpts[1].map(known)],
      },
    },
  }
}
