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

/**
 * The line of a syntax error. The engine tells it only now and then, so lines are added one by one
 * until there is another error than that of a text which ends too early.
 */
export function lineOfSyntaxError(json: string, error: unknown): number | undefined {
  if (!(error instanceof SyntaxError)) return undefined
  const lines = json.split('\n')
  for (let count = 1; count < Math.min(lines.length, linesMax); count++) {
    const begin = `${lines.slice(0, count).join('\n')}\n`
    try {
      JSON.parse(begin)
    } catch (cause) {
      if (!isEarlyEnd(begin, cause)) return count
    }
  }
  return lines.length <= linesMax ? lines.length : undefined
}

/** What is wrong with a JSON text, in words of the engine that repeat nothing of the text. */
export function syntaxProblem(json: string, error: unknown): string {
  if (isEarlyEnd(json, error)) return 'it ends too early'
  const message = error instanceof SyntaxError ? error.message : ''
  const problem = /^(?:Expected|Bad|Unterminated|No number|Exponent)[^"]* in JSON/.exec(
    message,
  )?.[0]
  return problem?.replace(/ in JSON$/, '') ?? 'there is a character that does not belong there'
}

/** Lines of a config file that are looked at for an error. Ours have thirty. */
const linesMax = 1_000

/** Whether a text is right as far as it goes. */
function isEarlyEnd(json: string, error: unknown): boolean {
  const message = error instanceof SyntaxError ? error.message : ''
  const position = /^Expected.* position (\d+)/.exec(message)?.[1]
  const isAtEnd = position !== undefined && Number(position) >= json.trimEnd().length
  return isAtEnd || /end of JSON input/.test(message)
}
