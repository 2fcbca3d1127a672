/** `movement (game.ts:12:7)`, as in stack traces. */
export function callSiteText(site: {
  readonly functionName: string
  readonly file: string
  readonly line: number
  readonly column: number
}): string {
  const place = `${site.file}:${site.line}:${site.column}`
  return site.functionName === '' ? place : `${site.functionName} (${place})`
}
