/** Rows of cells; the first row is the heading. */
export type Table = readonly (readonly string[])[]

/** For terminals: columns as wide as their widest cell. */
export function formatPlain(table: Table): string {
  return padded(table)
    .map((row) => row.join('  ').trimEnd())
    .join('\n')
}

/** For docs. */
export function formatMarkdown(table: Table): string {
  const [heading = [], ...body] = padded(table)
  const rule = heading.map((cell) => '-'.repeat(cell.length))
  return [heading, rule, ...body].map((row) => `| ${row.join(' | ')} |`).join('\n')
}

function padded(table: Table): string[][] {
  const widths = (table[0] ?? []).map((_, column) =>
    Math.max(...table.map((row) => (row[column] ?? '').length)),
  )
  return table.map((row) => row.map((cell, column) => cell.padEnd(widths[column] ?? 0)))
}
