/**
 * A game as one file of JavaScript in which more can be seen than in its sources: `**` is a call, a
 * `catch` hands over what it caught, and the variables at the top of its modules can be read. Made by
 * the `esbuild` of the developer's project.
 */
import { createRequire } from 'node:module'
import { dirname, resolve } from 'node:path'
import { pathToFileURL } from 'node:url'
import { isOwn } from '../../check/causes/game-site.ts'
import { caughtName } from '../../check/machine/machine-texts.ts'

/** A bundle with its map, and the variables that it lets one read. */
export interface Bundle {
  readonly text: string
  /** Where the variables are declared, by name: line and column in the bundle, from 1. */
  readonly variables: ReadonlyMap<string, { readonly line: number; readonly column: number }>
}

/** One error of a build, as esbuild tells it. */
export interface BuildError {
  readonly text: string
  readonly location: {
    readonly file: string
    readonly line: number
    readonly column: number
  } | null
}

type Esbuild = {
  build(options: object): Promise<{ readonly outputFiles: readonly { readonly text: string }[] }>
}

/** The export under which the variables are. */
export const variablesName = '__samestepVariables'

/** The bundler of the project that a file belongs to; `undefined` when it has none. */
export async function findEsbuild(file: string): Promise<Esbuild | undefined> {
  const path = resolveFrom(file, 'esbuild')
  return path === undefined ? undefined : ((await import(path)) as Esbuild)
}

/** Where the project that a file belongs to has a package; `undefined` when it has not. */
export function resolveFrom(file: string, specifier: string): string | undefined {
  try {
    return pathToFileURL(createRequire(file).resolve(specifier)).href
  } catch {
    return undefined
  }
}

/** Puts a file and all that it imports of its project together, as it is. */
export async function bundlePlain(esbuild: Esbuild, file: string): Promise<string> {
  return build(esbuild, file, {})
}

/** Puts a file and all that it imports of its project together, so that more of it can be seen. */
export async function bundle(esbuild: Esbuild, file: string): Promise<Bundle> {
  const built = await build(esbuild, file, { supported: { 'exponent-operator': false } })
  const text = handOverCaught(built)
  const variables = findVariables(text)
  return { text: exposeVariables(text, [...variables.keys()]), variables }
}

/** The library itself is there once, also for games of its own that import it by a path. */
const ownFiles = {
  name: 'samestep',
  setup(build: Plugins): void {
    build.onResolve({ filter: /^\./ }, ({ resolveDir, path: given }) => {
      const path = resolve(resolveDir, given)
      return isOwn(path) ? { path, external: true } : undefined
    })
  },
}

type Asked = { readonly resolveDir: string; readonly path: string }
type Plugins = {
  onResolve(
    options: { readonly filter: RegExp },
    resolve: (asked: Asked) => object | undefined,
  ): void
}

async function build(esbuild: Esbuild, file: string, more: object): Promise<string> {
  const { outputFiles } = await esbuild.build({
    entryPoints: [file],
    bundle: true,
    packages: 'external',
    platform: 'node',
    format: 'esm',
    target: 'esnext',
    sourcemap: 'inline',
    // Sources are named from here, and the file that is built lies here.
    absWorkingDir: dirname(file),
    write: false,
    logLevel: 'silent',
    plugins: [ownFiles],
    ...more,
  })
  return outputFiles[0]?.text ?? ''
}

/** A bundle's own `catch` clauses all look like this; what stands on the line after them stays there. */
function handOverCaught(text: string): string {
  return text
    .replaceAll(/(\} catch \()([\w$]+)\) \{$/gm, `$1$2) {$2 = globalThis.${caughtName}($2);`)
    .replaceAll(
      /(\} catch \()(\{[^()]*\})\) \{$/gm,
      `$1__caught) {var $2 = globalThis.${caughtName}(__caught);`,
    )
}

/** A bundle declares whatever is at the top of a module at the start of a line. */
const declaration = /^(?:var|let|const) ([\w$]+)/gm

function findVariables(text: string): Bundle['variables'] {
  const variables = new Map<string, { readonly line: number; readonly column: number }>()
  for (const found of text.matchAll(declaration)) {
    const name = found[1] as string
    if (name.startsWith('__')) continue
    const line = text.slice(0, found.index).split('\n').length
    variables.set(name, { line, column: found[0].length - name.length + 1 })
  }
  return variables
}

/** Appended before the map, so that no line moves. A variable that is not set yet is left out. */
function exposeVariables(text: string, names: readonly string[]): string {
  const reads = names.map((name) => `() => [${JSON.stringify(name)}, ${name}]`)
  const exported = `export const ${variablesName} = [${reads.join(', ')}]\n`
  const at = text.lastIndexOf('//# sourceMappingURL=')
  return at < 0 ? `${text}\n${exported}` : `${text.slice(0, at)}${exported}${text.slice(at)}`
}
