/**
 * The tables of `docs/state-machines.md`: what a relay does with everything that a link can bring, in
 * every state of the link, and what a client does. They are not written but observed: each cell is a
 * machine of its own, brought into the state, given the one thing, and looked at.
 */
import { clientColumns, clientRows, observeClient } from './state-tables-client.ts'
import { observeRelay, relayColumns, relayRows } from './state-tables-relay.ts'

/** Something that can happen. */
export type Row<S> = { readonly title: string; readonly act: (stage: S) => void }
/** A state, and how to get into it. */
export type Column<S> = { readonly title: string; readonly make: () => S }

function tableOf<S>(
  columns: readonly Column<S>[],
  rows: readonly Row<S>[],
  observe: (column: Column<S>, row: Row<S>) => string,
): string {
  const lines = [
    `| | ${columns.map(({ title }) => title).join(' | ')} |`,
    `|---|${columns.map(() => '---').join('|')}|`,
  ]
  for (const row of rows) {
    const cells = columns.map((column) => observe(column, row))
    lines.push(`| **${row.title}** | ${cells.join(' | ')} |`)
  }
  return lines.join('\n')
}

/** The tables by the names of their markers. */
export function makeStateTables(): ReadonlyMap<string, string> {
  return new Map([
    ['relay links', tableOf(relayColumns, relayRows, observeRelay)],
    ['client', tableOf(clientColumns, clientRows, observeClient)],
  ])
}
