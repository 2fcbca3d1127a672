import { runInThisContext } from 'node:vm'
import { build } from 'esbuild'
import { allocateName, instrument, visitName } from './instrument.ts'
import type { Probe } from './probe.ts'

/** A module whose code reports to a probe. */
export type Loaded<T> = {
  readonly module: T
  /** Whole numbers that its code mentions. */
  readonly constants: readonly number[]
}

/** Bundles a TypeScript module with all that it imports, instruments it, and gives its exports. */
export async function loadInstrumented<T>(entry: string, probe: Probe): Promise<Loaded<T>> {
  const { outputFiles } = await build({
    entryPoints: [entry],
    bundle: true,
    write: false,
    format: 'iife',
    globalName: '$module',
    platform: 'neutral',
    target: 'node20',
    logLevel: 'warning',
  })
  const [output] = outputFiles
  if (output === undefined) throw new Error(`Cannot bundle ${entry}: nothing came out`)
  const { code, constants } = instrument(output.text)
  const run = runInThisContext(
    `(function (${visitName}, ${allocateName}) {\n${code}\nreturn $module\n})`,
    { filename: 'instrumented.js' },
  )
  return { module: run(probe.visit, probe.allocate) as T, constants }
}
