import { mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { build } from 'esbuild'

const root = join(import.meta.dirname, '..', '..', '..', '..')

/** A folder with this test's programs, bundled as a game's would be, and a page for them. */
export class Bundle {
  readonly folder = mkdtempSync(join(tmpdir(), 'samestep-workers-'))

  static async make(): Promise<Bundle> {
    const bundle = new Bundle()
    const names = ['page', 'match-worker', 'node-worker', 'broken-worker', 'job-worker']
    await build({
      entryPoints: names.map((name) => join(import.meta.dirname, `${name}.ts`)),
      outdir: bundle.folder,
      outExtension: { '.js': '.mjs' },
      bundle: true,
      format: 'esm',
      platform: 'browser',
      // What only Node has, and asks for.
      external: ['node:*', 'ws'],
      target: 'es2022',
      define: { 'process.env.NODE_ENV': '"production"' },
      logLevel: 'warning',
    })
    symlinkSync(join(root, 'node_modules'), join(bundle.folder, 'node_modules'), 'junction')
    const html = '<!doctype html><title>runners</title><script type=module src=page.mjs></script>'
    writeFileSync(join(bundle.folder, 'index.html'), html)
    return bundle
  }

  remove(): void {
    rmSync(this.folder, { recursive: true, force: true })
  }
}
