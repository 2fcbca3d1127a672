import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { root } from './programs.ts'

test('npm run types reaches every workspace and the tools', () => {
  const { references } = JSON.parse(readFileSync(join(root, 'tsconfig.json'), 'utf8'))
  const reached = references.map(({ path }: { path: string }) => path)
  const folders = ['packages', 'examples'].flatMap((parent) =>
    readdirSync(join(root, parent)).map((name) => `${parent}/${name}`),
  )
  const projects = [...folders, 'bench', 'tools'].filter(
    (folder) => existsSync(join(root, folder, 'package.json')) || folder === 'tools',
  )
  expect(projects.length).toBeGreaterThan(2)
  expect(projects.filter((folder) => !reached.includes(folder))).toEqual([])
})

test('every layer of src is compiled by a project of its own', () => {
  const source = join(root, 'packages', 'samestep', 'src')
  const manifest = readFileSync(join(root, 'packages', 'samestep', 'tsconfig.json'), 'utf8')
  const reached = JSON.parse(manifest).references.map(({ path }: { path: string }) => path)
  const layers = readdirSync(source, { withFileTypes: true })
    .filter((entry) => entry.isDirectory() && readdirSync(join(source, entry.name)).length > 0)
    .map(({ name }) => `src/${name}`)
  expect(layers).toContain('src/sim')
  expect(layers.filter((layer) => !reached.includes(layer))).toEqual([])
})
