import type { Door, Entry } from './read-doors.ts'

/** Longer declarations hide what is below them; the editor shows the rest. */
const linesMax = 80

/** The file of a door: `samestep/server` is in `server.md`, the front door in `samestep.md`. */
export function fileOf({ name }: Pick<Door, 'name'>): string {
  return `${name.replace(/^samestep\//, '')}.md`
}

/** The page of a door. */
export function renderDoor({ name, entries }: Door): string {
  const groups = [
    ['Functions', entries.filter(({ kind }) => kind === 'function')],
    ['Classes', entries.filter(({ kind }) => kind === 'class')],
    ['Values', entries.filter(({ kind }) => kind === 'value')],
    ['Types', entries.filter(({ kind }) => kind === 'type')],
  ] as const
  const parts = groups
    .filter(([, group]) => group.length > 0)
    .map(([title, group]) => `## ${title}\n\n${group.map(renderEntry).join('\n')}`)
  return `# ${name}

${entries.length} names. Made from the doc comments by \`npm run reference\`. [All doors](index.md) · [Guide](../index.md)

${parts.join('\n')}`
}

/** The page that lists the doors. */
export function renderIndex(doors: readonly Door[]): string {
  const rows = doors.map(
    (door) =>
      `| [\`${door.name}\`](${fileOf(door)}) | ${door.entries.map(({ name }) => `\`${name}\``).join(' ')} |`,
  )
  return `# Reference

Every exported name, by the door that exports it. Made by \`npm run reference\`.

| door | names |
|---|---|
${rows.join('\n')}
`
}

function renderEntry({ name, text, declaration, examples }: Entry): string {
  const lines = declaration.split('\n')
  const shown = lines.length > linesMax ? [...lines.slice(0, linesMax), '// …'] : lines
  const code = declaration === '' ? '' : `\`\`\`ts\n${shown.join('\n')}\n\`\`\`\n\n`
  const samples = examples.map((example) => `${example.trim()}\n\n`).join('')
  return `### ${name}\n\n${escapeTags(text)}\n\n${code}${samples}`
}

/** A type argument in a sentence is no element. */
function escapeTags(text: string): string {
  return text.replace(/<(?=[A-Za-z/])/g, '&lt;')
}
