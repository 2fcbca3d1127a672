/**
 * The page of every exported name: where it is imported from, what it is, and which page explains it.
 *
 * What a name is comes from the first sentence of its doc comment. What explains it is the page that
 * mentions it most in code; a page that was chosen stays while it mentions the name. Functions, classes and values must have such a page; a type may be
 * explained here alone, for it is met beside the function that takes or gives it.
 */
import { readdirSync, readFileSync } from 'node:fs'
import { dirname, join, relative } from 'node:path'
import { putBlock, readBlock, rowsOf, tableText } from './page-blocks.ts'

const packageFolder = join(import.meta.dirname, '..', '..')
const repository = join(packageFolder, '..', '..')
const source = join(packageFolder, 'src')

/** The page that this file writes: it explains nothing by itself. */
export const exportsPage = 'docs/exports.md'

/** One exported name. */
export interface ExportedName {
  readonly door: string
  readonly name: string
  readonly isType: boolean
  /** The first sentence of its doc comment; empty without one. */
  readonly what: string
  /** The page that explains it, below the root; `undefined` where none mentions it in code. */
  readonly page: string | undefined
}

interface Reexport {
  readonly name: string
  /** What it is called where it is declared. */
  readonly inner: string
  readonly isType: boolean
  readonly file: string
}

/** The doors of the package, each with the file that its names are listed in. */
export function listDoors(): { readonly door: string; readonly file: string }[] {
  const manifest = JSON.parse(readFileSync(join(packageFolder, 'package.json'), 'utf8'))
  return Object.entries<{ readonly default: string }>(manifest.exports)
    .filter(([subpath]) => !subpath.endsWith('.json'))
    .map(([subpath, { default: path }]) => ({
      door: `samestep${subpath.slice(1)}`,
      file: join(source, path.replace('./dist/', '').replace(/\.js$/, '.ts')),
    }))
}

function reexportsOf(file: string): Reexport[] {
  const text = readFileSync(file, 'utf8')
  const found: Reexport[] = []
  for (const [, type, names = '', path = ''] of text.matchAll(
    /export (type )?\{([^}]*)\} from '([^']+)'/g,
  )) {
    for (const each of names.split(',')) {
      const entry = each.trim()
      if (entry === '') continue
      const bare = entry.replace(/^type /, '')
      const [inner = '', name = inner] = bare.split(' as ').map((word) => word.trim())
      const isType = type !== undefined || entry !== bare
      found.push({ name, inner, isType, file: join(dirname(file), path) })
    }
  }
  return found
}

/** The first sentence above a declaration, wherever it is passed on from. */
function sentenceOf({ inner, file }: Reexport): string {
  const text = readFileSync(file, 'utf8')
  const declared = new RegExp(
    `/\\*\\*((?:(?!\\*/)[\\s\\S])*)\\*/\\s*(?://[^\\n]*\\n\\s*)*export (?:declare |abstract |async )*(?:function\\*?|const|let|class|interface|type) ${inner}\\b`,
  ).exec(text)
  if (declared !== null) {
    const words = (declared[1] ?? '').replace(/^\s*\* ?/gm, ' ').replace(/\s+/g, ' ')
    const [, sentence = ''] = /^(.*?[.!?])(?:\s|$)/.exec(words.trim()) ?? []
    return (sentence || words.trim()).replace(/\{@link ([^}]+)\}/g, '`$1`').replace(/\|/g, '\\|')
  }
  const passed = reexportsOf(file).find(({ name }) => name === inner)
  return passed === undefined ? '' : sentenceOf(passed)
}

/** How often each page says a word in code. */
function readPages(): { readonly page: string; readonly counts: ReadonlyMap<string, number> }[] {
  const below = readdirSync(join(repository, 'docs'), { recursive: true, encoding: 'utf8' })
  const pages = below.filter((name) => name.endsWith('.md')).map((name) => join('docs', name))
  return ['README.md', ...pages.sort()]
    .filter((page) => page !== exportsPage)
    .map((page) => {
      const text = readFileSync(join(repository, page), 'utf8')
      const counts = new Map<string, number>()
      for (const [code] of text.matchAll(/```[\s\S]*?```|`[^`\n]+`/g)) {
        for (const [word] of code.matchAll(/[A-Za-z_]\w*/g)) {
          counts.set(word, (counts.get(word) ?? 0) + 1)
        }
      }
      return { page, counts }
    })
}

/** Which page the tables name for a name now, below the root. */
function chosenPages(text: string): ReadonlyMap<string, string> {
  const chosen = new Map<string, string>()
  for (const { door } of listDoors()) {
    for (const [name = '', , , link = ''] of rowsOf(readBlock(text, door))) {
      const [, target] = /\]\(([^)]+)\)/.exec(link) ?? []
      if (target !== undefined) chosen.set(name.replaceAll('`', ''), join('docs', target))
    }
  }
  return chosen
}

/** Every name of every door; `current` is the page as it is. */
export function listExports(current = readFileSync(join(repository, exportsPage), 'utf8')) {
  const pages = readPages()
  const chosen = chosenPages(current)
  return listDoors().flatMap(({ door, file }) =>
    reexportsOf(file)
      .map((each): ExportedName => {
        const { name, isType } = each
        const mentions = pages
          .map(({ page, counts }) => ({ page, count: counts.get(name) ?? 0 }))
          .filter(({ count }) => count > 0)
          .sort((a, b) => b.count - a.count)
        const kept = mentions.find(({ page }) => page === chosen.get(name))
        const { page } = kept ?? mentions[0] ?? { page: undefined }
        return { door, name, isType, what: sentenceOf(each), page }
      })
      .sort((a, b) => (a.name < b.name ? -1 : 1)),
  )
}

/** The page with the tables of all doors. */
export function renderExportsPage(page: string): string {
  let result = page
  const names = listExports(page)
  for (const { door } of listDoors()) {
    const rows = names
      .filter((each) => each.door === door)
      .map((each) => {
        const link =
          each.page === undefined
            ? ''
            : `[${each.page.replace(/^docs\//, '')}](${relative('docs', each.page)})`
        return [`\`${each.name}\``, each.isType ? 'type' : '', each.what, link]
      })
    result = putBlock(result, door, tableText(['name', '', 'what it is', 'explained in'], rows))
  }
  return result
}
