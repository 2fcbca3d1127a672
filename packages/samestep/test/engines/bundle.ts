import { join } from 'node:path'
import { build } from 'esbuild'

/** The file that collects all digests. */
export const digestsEntry = join(import.meta.dirname, '..', 'digests', 'index.ts')

/**
 * One classic script that defines the global function `samestepDigests(count)`.
 *
 * Not a module, because the shells of engines read plain scripts. ES2022 is what the oldest of
 * them understands; below it, private fields become WeakMaps, and everything takes ten times as
 * long. Nothing in the script may need a browser, Node, or even a console.
 */
export async function bundleDigests(entry = digestsEntry): Promise<string> {
  const { outputFiles } = await build({
    stdin: {
      contents: `
        import { collectDigests } from ${JSON.stringify(entry)}
        globalThis.samestepDigests = collectDigests
      `,
      resolveDir: import.meta.dirname,
    },
    bundle: true,
    write: false,
    format: 'iife',
    platform: 'neutral',
    // Only for sockets of Node, which no digest uses: dropped once everything is resolved.
    external: ['ws', 'node:*'],
    // A neutral platform looks at no field by itself, and some packages have no exports.
    mainFields: ['module', 'main'],
    target: 'es2022',
    logLevel: 'warning',
  })
  const [output] = outputFiles
  if (output === undefined) throw new Error(`Cannot bundle ${entry}: esbuild gave no file`)
  return output.text
}
