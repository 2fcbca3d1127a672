/** What snapshots of earlier versions of the library lack, filled in with what it was then. */
import type { Section, TableSection } from '../../snapshot/section.ts'

/** A file from before pauses stopped the game's clock: as if there had been none. */
export function completeSections(sections: readonly Section[]): readonly Section[] {
  return sections.map((section) => {
    if (section.kind !== 'table' || section.name !== '#system') return section
    const isComplete = section.columns.some(({ name }) => name === 'pausedTicks')
    return isComplete ? section : withZeros(section, 'pausedTicks')
  })
}

function withZeros(section: TableSection, name: string): TableSection {
  const { offset, rows } = section
  const column = {
    name,
    type: 'u32' as const,
    offset,
    readInto: (target: { fill(value: number, start: number, end: number): unknown }) => {
      target.fill(0, 0, rows)
    },
  }
  return { ...section, columns: [...section.columns, column] }
}
