/**
 * Reads the exported names of every door of the package from its built declarations, with their doc
 * comments, by the compiler's own API.
 *
 * An own reader, not TypeDoc or API Extractor: both bring a compiler of their own and a site of their
 * own, and print an inferred game type as pages of text. What is wanted here is a list of names with
 * their declarations as Markdown, and a test for gaps; the compiler of `tools/eslint-host` (6.0, the
 * last one with an API) is installed anyway.
 */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
// The compiler of the workspace is native, and has no API.
import ts from '../eslint-host/node_modules/typescript/lib/typescript.js'
import { root } from '../programs.ts'

/** One exported name. */
export interface Entry {
  readonly name: string
  readonly kind: 'function' | 'class' | 'type' | 'value'
  /** The doc comment, without its tags; empty where there is none. */
  readonly text: string
  /** As in the declaration file, with the comments of members. */
  readonly declaration: string
  /** The code of `@example`. */
  readonly examples: readonly string[]
}

/** One door: a subpath of the package, and what it exports. */
export interface Door {
  /** `samestep`, `samestep/server` and so on. */
  readonly name: string
  readonly entries: readonly Entry[]
}

/** Every door of the package. Needs a build. */
export function readDoors(): Door[] {
  const folder = join(root, 'packages', 'samestep')
  const { exports } = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8')) as {
    exports: { readonly [subpath: string]: string | { readonly types: string } }
  }
  const doors = Object.entries(exports).flatMap(([subpath, entry]) =>
    typeof entry === 'string'
      ? []
      : [{ name: `samestep${subpath.slice(1)}`, file: join(folder, entry.types) }],
  )
  const program = ts.createProgram(
    doors.map(({ file }) => file),
    {
      target: ts.ScriptTarget.ES2023,
      module: ts.ModuleKind.NodeNext,
      skipLibCheck: true,
      noLib: false,
    },
  )
  const checker = program.getTypeChecker()
  return doors.map(({ name, file }) => {
    const source = program.getSourceFile(file)
    const module = source && checker.getSymbolAtLocation(source)
    const symbols = module === undefined ? [] : checker.getExportsOfModule(module)
    return { name, entries: symbols.map((symbol) => readEntry(symbol, checker)).sort(byName) }
  })
}

function byName(one: Entry, other: Entry): number {
  return one.name < other.name ? -1 : 1
}

function readEntry(exported: ts.Symbol, checker: ts.TypeChecker): Entry {
  const isAlias = (exported.flags & ts.SymbolFlags.Alias) !== 0
  const symbol = isAlias ? checker.getAliasedSymbol(exported) : exported
  const declarations = symbol.declarations ?? []
  const comment = ts.displayPartsToString(symbol.getDocumentationComment(checker))
  const text = declarations.some(ts.isSourceFile) ? namespaceText(symbol, checker) : comment
  const examples = symbol
    .getJsDocTags(checker)
    .filter(({ name }) => name === 'example')
    .map(({ text: parts }) => ts.displayPartsToString(parts))
  return {
    name: exported.name,
    kind: kindOf(symbol),
    text: text.trim(),
    declaration: declarations.map(declarationText).join('\n'),
    examples,
  }
}

/** A namespace is a whole file, which has no comment of its own: its names say what it is. */
function namespaceText(symbol: ts.Symbol, checker: ts.TypeChecker): string {
  const names = checker.getExportsOfModule(symbol).map(({ name }) => `\`${name}\``)
  return `A namespace: ${names.join(', ')}.`
}

function kindOf({ flags }: ts.Symbol): Entry['kind'] {
  if (flags & ts.SymbolFlags.Class) return 'class'
  if (flags & ts.SymbolFlags.Function) return 'function'
  return flags & ts.SymbolFlags.Value ? 'value' : 'type'
}

/** The declaration without its own doc comment and without what only the compiler needs. */
function declarationText(declaration: ts.Declaration): string {
  if (ts.isSourceFile(declaration)) return ''
  const statement = ts.isVariableDeclaration(declaration) ? declaration.parent.parent : declaration
  return statement
    .getText()
    .replace(/^export /, '')
    .replace(/^declare /, '')
    .replace(/^ +#private;\n/gm, '')
    .replace(/^ +private [^\n]*\n/gm, '')
}
