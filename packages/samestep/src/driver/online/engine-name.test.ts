import { expect, test } from 'vitest'
import { engineName } from './engine-name.ts'

const agent = (userAgent: string) => ({ navigator: { userAgent } })
const apple = 'AppleWebKit/605.1.15 (KHTML, like Gecko)'

test.each([
  [
    { process: { versions: { node: '20.20.2', v8: '11.3' }, arch: 'x64' } },
    'Node 20.20.2, V8 11.3, x64',
  ],
  [{ process: { versions: { node: '22.0.0', bun: '1.2.3' }, arch: 'arm64' } }, 'Bun 1.2.3, arm64'],
  // What bundlers leave of it on a page.
  [
    { process: { versions: {} }, ...agent('Mozilla/5.0 Gecko/20100101 Firefox/128.0') },
    'Firefox 128.0',
  ],
  [agent(`Mozilla/5.0 (Macintosh) ${apple} Version/17.4 Safari/605.1.15`), 'Safari 17.4'],
  [agent('Mozilla/5.0 AppleWebKit/537.36 Chrome/126.0.0.0 Safari/537.36'), 'Chrome 126.0.0.0'],
  [agent('Mozilla/5.0 HeadlessChrome/126.0.0.0 Safari/537.36'), 'Chrome 126.0.0.0'],
  [agent('Mozilla/5.0 Chrome/126.0.0.0 Safari/537.36 Edg/126.0.1'), 'Edge 126.0.1'],
  [agent('Something Else'), 'Something Else'],
  [{}, ''],
])('%j is %s', (around, name) => expect(engineName(around)).toBe(name))

test('this machine has a name', () => {
  expect(engineName()).toBe(
    `Node ${process.versions.node}, V8 ${process.versions.v8}, ${process.arch}`,
  )
})
