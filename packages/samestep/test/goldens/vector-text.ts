/** The text of a file of vectors: one vector per line, so that a difference shows which one moved. */
export function formatVectors(groups: { readonly [name: string]: unknown }): string {
  const parts = Object.entries(groups).map(([name, value]) => {
    const lines = Array.isArray(value)
      ? `[\n${value.map((it) => `    ${JSON.stringify(it)}`).join(',\n')}\n  ]`
      : JSON.stringify(value)
    return `  ${JSON.stringify(name)}: ${lines}`
  })
  return `{\n${parts.join(',\n')}\n}\n`
}
