import { createRequire, Module } from 'node:module'
import type { Linter } from 'eslint'

const require = createRequire(
  new URL('../../../../../tools/eslint-host/package.json', import.meta.url),
)

type Resolve = (request: string, ...rest: unknown[]) => string

/**
 * The parser that TypeScript projects use. It needs a compiler with a JavaScript API, which this
 * repository has beside its own; a package of the parser's that npm keeps elsewhere would find the
 * wrong one, so `typescript` leads to the right one while the parser is loaded.
 */
export const typescriptParser: Linter.Parser = loadParser()

function loadParser(): Linter.Parser {
  const loader = Module as unknown as { _resolveFilename: Resolve }
  const resolve = loader._resolveFilename
  const compiler = require.resolve('typescript')
  loader._resolveFilename = function (request, ...rest) {
    return request === 'typescript' ? compiler : resolve.call(this, request, ...rest)
  }
  try {
    return require('@typescript-eslint/parser')
  } finally {
    loader._resolveFilename = resolve
  }
}
