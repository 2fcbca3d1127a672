/**
 * Blocks of a page that a command writes: what stands between two comments that nobody sees.
 *
 *     <!-- table: limits -->
 *     …
 *     <!-- end of table -->
 */

const begin = (name: string) => `<!-- table: ${name} -->`
const end = '<!-- end of table -->'

/** What a page has between the markers of a block; throws when it has none. */
export function readBlock(page: string, name: string): string {
  const start = page.indexOf(begin(name))
  const stop = page.indexOf(end, start)
  if (start < 0 || stop < 0) {
    throw new Error(
      `The page has no table '${name}': write ${begin(name)} and ${end} where it goes`,
    )
  }
  return page.slice(start + begin(name).length, stop).trim()
}

/** The page with a block put between its markers. */
export function putBlock(page: string, name: string, block: string): string {
  readBlock(page, name)
  const start = page.indexOf(begin(name))
  const stop = page.indexOf(end, start)
  return `${page.slice(0, start)}${begin(name)}\n\n${block}\n\n${page.slice(stop)}`
}

/** The cells of every row of the tables in a text, without the headings. */
export function rowsOf(text: string): string[][] {
  return text
    .split('\n')
    .filter((line) => line.startsWith('| ') && !line.startsWith('|---'))
    .map((line) =>
      line
        .slice(1, -1)
        .split('|')
        .map((cell) => cell.trim()),
    )
    .slice(1)
}

/** A table in Markdown. */
export function tableText(head: readonly string[], rows: readonly (readonly string[])[]): string {
  const line = (cells: readonly string[]) =>
    `|${cells.map((cell) => (cell === '' ? ' ' : ` ${cell} `)).join('|')}|`
  return [line(head), `|${head.map(() => '---').join('|')}|`, ...rows.map(line)].join('\n')
}
