import type { Rule, SourceCode } from 'eslint'
import { findGlobalUses, type GlobalUse } from './global-uses.ts'
import { Region } from './region.ts'
import type { Node } from './syntax.ts'
import { Names } from './variables.ts'

/** The page that explains every rule; each has a section under its own name. */
const guide = 'docs/lint.md'

/** A change of the text, made by ESLint's fixer. */
export type Edit = Rule.ReportFixer

/** A fault as a rule reports it. */
export type Finding = {
  readonly node: Node
  readonly messageId: string
  readonly data?: { readonly [name: string]: string }
  /** Applied by `--fix`. Only for changes that cannot be wrong. */
  readonly fix?: Edit | undefined
  /** Offered in an editor, for changes that a person must agree to. */
  readonly suggest?: readonly {
    readonly messageId: string
    readonly data?: { readonly [name: string]: string }
    readonly fix: Edit
  }[]
}

/** What a rule sees of the file that it checks. */
export type File = {
  readonly sourceCode: SourceCode
  readonly names: Names
  readonly uses: readonly GlobalUse[]
  readonly options: { readonly [name: string]: unknown }
  /** Whether the node belongs to the part of the file that is checked. */
  isInside(node: Node): boolean
  /** The source text of a node. */
  text(node: Node): string
  /** Reports a fault, unless it is outside the part that is checked. */
  report(finding: Finding): void
}

/** Handlers by node type; `Program` sees the whole file. */
export type Checks = { readonly [type: string]: (node: Node) => void }

/** A rule before ESLint's form is given to it. */
export type RuleSpec = {
  readonly name: string
  readonly description: string
  readonly messages: { readonly [id: string]: string }
  readonly isFixable?: boolean
  readonly hasSuggestions?: boolean
  /** JSON schemas of options beside `where`. */
  readonly options?: { readonly [name: string]: object }
  check(file: File): Checks
}

const where = {
  enum: ['file', 'game'],
  description: '`file`: all of it. `game`: only what runs inside defineGame({ … }).',
} as const

const namesOf = new WeakMap<SourceCode, Names>()
const regionOf = new WeakMap<SourceCode, Region>()

/** Gives a rule ESLint's form: its schema with `where`, its page, and reports that heed `where`. */
export function makeRule(spec: RuleSpec): Rule.RuleModule {
  return {
    meta: {
      type: 'problem',
      docs: { description: spec.description, recommended: true, url: `${guide}#${spec.name}` },
      messages: { ...spec.messages },
      ...(spec.isFixable === true ? { fixable: 'code' as const } : {}),
      hasSuggestions: spec.hasSuggestions === true,
      schema: [
        { type: 'object', properties: { where, ...spec.options }, additionalProperties: false },
      ],
      defaultOptions: [{ where: 'file' }],
    },
    create: (context) => spec.check(openFile(context)) as unknown as Rule.RuleListener,
  }
}

function openFile(context: Rule.RuleContext): File {
  const { sourceCode } = context
  const options = (context.options[0] ?? {}) as { readonly [name: string]: unknown }
  const names = remember(namesOf, sourceCode, () => new Names(sourceCode))
  const isInside = (node: Node): boolean =>
    options.where !== 'game' || remember(regionOf, sourceCode, () => new Region(names)).has(node)
  return {
    sourceCode,
    names,
    options,
    isInside,
    get uses() {
      return findGlobalUses(sourceCode, names)
    },
    text: (node) => sourceCode.text.slice(node.range[0], node.range[1]),
    report({ node, messageId, data, fix, suggest }) {
      if (!isInside(node)) return
      context.report({
        node: node as unknown as Rule.Node,
        messageId,
        ...(data === undefined ? {} : { data: { ...data } }),
        ...(fix === undefined ? {} : { fix }),
        ...(suggest === undefined ? {} : { suggest: suggest.map((item) => ({ ...item })) }),
      })
    },
  }
}

/** What belongs to a file is made once, however many rules ask for it. */
function remember<T>(known: WeakMap<SourceCode, T>, sourceCode: SourceCode, make: () => T): T {
  const old = known.get(sourceCode)
  if (old !== undefined) return old
  const made = make()
  known.set(sourceCode, made)
  return made
}
