/** Strangers who ask for pages: too many at once, by the byte, without hearing the answer. */
import { largePath, pagePath } from '../../loopback/site.ts'
import { closedWithin, connectFrom, wait, writeAll } from '../../loopback/sockets.ts'
import { upgradeRequest } from '../../loopback/upgrade.ts'
import type { Act, Repertoire } from '../stranger.ts'

const get = (path: string) => `GET ${path} HTTP/1.1\r\nHost: localhost\r\n\r\n`

const paths = ['/health', '/nope', '/', pagePath, largePath, '/../etc/passwd', '/%00', '/rtc']

/** Requests that are none, or mean two things. */
const oddRequests = [
  'GET /health HTTP/1.1\nHost: localhost\n\n',
  'GET /health HTTP/9.9\r\nHost: localhost\r\n\r\n',
  'GET  HTTP/1.1\r\n\r\n',
  'POST /health HTTP/1.1\r\nHost: x\r\nContent-Length: 5\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n',
  'POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 1000000\r\n\r\nbody',
  'GET / HTTP/1.1\r\nHost: x\r\nHost: y\r\n\r\n',
  'GET / HTTP/1.1\r\nHost: x\r\nX: \0\r\n\r\n',
  'GET / HTTP/1.1\r\nHost: x\r\n folded: 1\r\n\r\n',
  'OPTIONS * HTTP/1.1\r\nHost: x\r\n\r\n',
  'CONNECT localhost:1 HTTP/1.1\r\nHost: x\r\n\r\n',
  'GET /health HTTP/1.1\r\nHost: x\r\nUpgrade: h2c\r\nConnection: Upgrade\r\n\r\n',
  'GET /health HTTP/1.1\r\nHost: x\r\nExpect: 100-continue\r\nContent-Length: 3\r\n\r\n',
  'PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n',
  '\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03',
  `GET /${'x'.repeat(10_000)} HTTP/1.1\r\nHost: x\r\n\r\n`,
  `GET / HTTP/1.1\r\n${'X: y\r\n'.repeat(300)}\r\n`,
]

const pipelineRequests: Act = async ({ random, address, port }) => {
  const socket = await connectFrom(address, port)
  if (socket === undefined) return
  if (random.chance(0.7)) socket.resume()
  const text = get(random.pick(paths)).repeat(1 + random.below(1_000))
  for (let left = 1 + random.below(4); left > 0; left--) {
    const isTaken = await Promise.race([writeAll(socket, text), wait(500).then(() => false)])
    if (!isTaken) break
  }
  await closedWithin(socket, random.below(1_000))
  socket.resetAndDestroy()
}

const abortDownloads: Act = async ({ random, address, port }) => {
  const socket = await connectFrom(address, port)
  if (socket === undefined) return
  socket.pause()
  const upgrade = random.chance(0.3) ? upgradeRequest() : ''
  socket.write(`${get(largePath).repeat(1 + random.below(300))}${upgrade}`)
  await wait(random.below(400))
  if (random.chance(0.8)) socket.resetAndDestroy()
  else socket.destroy()
}

/** What strangers do with HTTP requests. */
export const httpActs: Repertoire = {
  'pipelined requests': pipelineRequests,
  'aborted downloads': abortDownloads,

  'slow request': async ({ random, address, port }) => {
    const socket = await connectFrom(address, port)
    if (socket === undefined) return
    socket.resume()
    for (const letter of get(random.pick(paths)).slice(0, 4 + random.below(30))) {
      if (!(await writeAll(socket, letter))) return
      await wait(random.below(200))
    }
    socket.destroy()
  },

  'unread download': async ({ random, address, port }) => {
    const socket = await connectFrom(address, port)
    if (socket === undefined) return
    socket.pause()
    socket.write(get(largePath))
    await wait(random.below(6_000))
    socket.destroy()
  },

  'odd request': async ({ random, address, port }) => {
    const socket = await connectFrom(address, port)
    if (socket === undefined) return
    socket.resume()
    const count = 1 + random.below(3)
    const texts = Array.from({ length: count }, () => random.pick(oddRequests))
    socket.write(Buffer.from(texts.join(''), 'latin1'))
    await closedWithin(socket, random.below(800))
    if (random.chance(0.5)) socket.end()
    await closedWithin(socket, 100)
    socket.destroy()
  },

  resets: async ({ random, address, port }) => {
    for (let left = 1 + random.below(30); left > 0; left--) {
      const socket = await connectFrom(address, port)
      if (random.chance(0.3)) socket?.write(get('/health'))
      socket?.resetAndDestroy()
    }
  },
}
