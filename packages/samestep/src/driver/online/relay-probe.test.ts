import { expect, test } from 'vitest'
import { probeRelay } from './relay-probe.ts'

/** An address that answers with this kind of content; without one, nothing answers. */
function answering(type: string | null | undefined, asked: string[] = []) {
  return async (url: string) => {
    asked.push(url)
    if (type === undefined) throw new TypeError('fetch failed')
    return { headers: { get: () => type } }
  }
}

test('a page where the relay should be is told, with both ways to repair it', async () => {
  const asked: string[] = []
  const hint = await probeRelay('ws://localhost:5173/?match=a', answering('text/html', asked))
  expect(asked).toEqual(['http://localhost:5173/health'])
  expect(hint).toBe(
    "localhost:5173 answers with an HTML page: that is the server of a page, not a relay. Give the relay's own address, such as url: 'ws://localhost:7777', or let the server pass WebSockets on to it (in Vite: server.proxy with ws: true)",
  )
})

test('over TLS it looks over TLS', async () => {
  const asked: string[] = []
  await probeRelay('wss://play.test/', answering('text/html', asked))
  expect(asked).toEqual(['https://play.test/health'])
})

test.each([['application/json'], [null], [undefined]])(
  'what answers with %s gives no hint',
  async (type) => {
    expect(await probeRelay('ws://localhost:7777/', answering(type))).toBeUndefined()
  },
)
