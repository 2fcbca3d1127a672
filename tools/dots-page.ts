/** Bundles the page of `examples/dots` into its `dist` folder, as a bundler of a user would. */
import { copyFileSync, mkdirSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { build } from 'esbuild'
import { root } from './programs.ts'

const example = join(root, 'examples', 'dots')

/** Writes `index.html`, `main.js` and `match-worker.js` with their chunks, and `style.css`; gives the folder. Needs a build. */
export async function bundleDots(folder: string = join(example, 'dist')): Promise<string> {
  rmSync(folder, { recursive: true, force: true })
  mkdirSync(folder, { recursive: true })
  await build({
    entryPoints: {
      main: join(example, 'src', 'main.ts'),
      'match-worker': join(example, 'src', 'match-worker.ts'),
      style: join(example, 'src', 'style.css'),
    },
    outdir: folder,
    bundle: true,
    splitting: true,
    format: 'esm',
    platform: 'browser',
    target: 'es2022',
    minify: true,
    sourcemap: 'linked',
    define: { 'process.env.NODE_ENV': '"production"' },
    logLevel: 'warning',
  })
  copyFileSync(join(example, 'index.html'), join(folder, 'index.html'))
  return folder
}
