/** Where in a JSON text the keys stand, so that an error can name the line. */

/** Reads a JSON text. Gives the value and the line of every key, by its dotted path. */
export function linesOfKeys(json: string): ReadonlyMap<string, number> {
  const lines = new Map<string, number>()
  /** The keys on the way to where we are; `undefined` for an array. */
  const path: (string | undefined)[] = []
  let line = 1
  let pending = ''
  // Strings first, so that nothing inside of one is taken for structure.
  for (const [token] of json.matchAll(/"(?:[^"\\]|\\.)*"|[{}[\]:,]|\n/gu)) {
    if (token === '\n') line++
    else if (token.startsWith('"')) pending = token
    else if (token === ':') {
      path[path.length - 1] = JSON.parse(pending) as string
      lines.set(path.filter((key) => key !== undefined).join('.'), line)
    } else if (token === '{' || token === '[') path.push(undefined)
    else if (token !== ',') path.pop()
  }
  return lines
}

/** The line of a syntax error, if the engine says where it is. */
export function lineOfSyntaxError(json: string, error: unknown): number | undefined {
  const message = error instanceof Error ? error.message : ''
  const position = /position (\d+)/.exec(message)?.[1]
  if (position !== undefined) return json.slice(0, Number(position)).split('\n').length
  return /end of JSON input/.test(message) ? json.split('\n').length : undefined
}
