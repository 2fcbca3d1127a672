import { X509Certificate } from 'node:crypto'
import { connect } from 'node:net'
import { connect as connectTls } from 'node:tls'
import { afterEach, beforeEach, expect, test } from 'vitest'
import type { Connection } from '../connection.ts'
import { bothPaths } from '../testing/both-paths.ts'
import { CertificateFolder, certificates } from '../testing/certificates.ts'
import { Recorder, until } from '../testing/recorder.ts'
import { dialWebSocket } from '../websocket-client.ts'
import { listenWebSocket, type WebSocketListener } from './websocket-server.ts'

let folder: CertificateFolder
let listener: WebSocketListener
let accepted: Connection[]
beforeEach(async () => {
  folder = new CertificateFolder()
  folder.write(certificates[0])
  accepted = []
  listener = await listen(false)
})
afterEach(async () => {
  folder.remove()
  await listener.close()
})

const listen = (turbo: boolean): Promise<WebSocketListener> =>
  listenWebSocket((connection) => accepted.push(connection), {
    host: '0.0.0.0',
    tls: folder.files,
    requestMsMax: 300,
    turbo,
  })

const urlAt = (host: string): string => `wss://${host}:${new URL(listener.url).port}`

test.each(bothPaths)('with certificate files it is wss, open to all ($path)', async ({ turbo }) => {
  await listener.close()
  listener = await listen(turbo)
  expect(listener.url).toMatch(/^wss:\/\/0\.0\.0\.0:\d+$/)
  expect(listener.isInsecure).toBe(false)
  const trustedCertificates = certificates[0].certificate
  const a = new Recorder(await dialWebSocket(urlAt('localhost'), { trustedCertificates })())
  await until(() => accepted.length === 1, 'the connection')
  const b = new Recorder(accepted[0]!)
  // With turbo, small frames take the short way here too, large ones that of ws.
  for (const size of [1, 200, 50_000]) {
    b.send(new Uint8Array(size).fill(size))
    await a.heard(new Uint8Array(size).fill(size))
    a.send(new Uint8Array(size).fill(size))
    await b.heard(new Uint8Array(size).fill(size))
  }
  a.close(1000, '')
  await Promise.all([a.ended(), b.ended()])
})

test('a certificate that nobody vouches for, or of another name, is told apart from other failures', async () => {
  const stranger = dialWebSocket(urlAt('localhost'))()
  await expect(stranger).rejects.toMatchObject({ code: 'SS_CONNECT_INSECURE' })
  const trustedCertificates = certificates[0].certificate
  const other = dialWebSocket(urlAt('127.0.0.1'), { trustedCertificates })()
  await expect(other).rejects.toMatchObject({ code: 'SS_CONNECT_INSECURE' })
  await expect(other).rejects.toThrow(/ERR_TLS_CERT_ALTNAME_INVALID/)
  expect(accepted).toEqual([])
})

test('plain speech at an encrypted port is no connection', async () => {
  const plain = dialWebSocket(urlAt('localhost').replace('wss', 'ws'))()
  await expect(plain).rejects.toMatchObject({ name: 'ConnectError' })
})

test('a handshake that never comes is not waited for', async () => {
  const socket = connect(Number(new URL(listener.url).port), '127.0.0.1')
  socket.resume()
  socket.on('error', () => {})
  await until(() => socket.closed, 'the end of it')
})

test('a renewed certificate is taken without a restart', async () => {
  const fingerprintNow = (): Promise<string> =>
    new Promise((resolve, reject) => {
      const port = Number(new URL(listener.url).port)
      const socket = connectTls({ port, host: '127.0.0.1', rejectUnauthorized: false }, () => {
        resolve(socket.getPeerCertificate().fingerprint256)
        socket.destroy()
      })
      socket.on('error', reject)
    })
  const [before, after] = certificates.map(({ certificate }) => new X509Certificate(certificate))
  expect(await fingerprintNow()).toBe(before!.fingerprint256)
  folder.write(certificates[1])
  expect(await fingerprintNow()).toBe(before!.fingerprint256)
  listener.reloadTls()
  expect(await fingerprintNow()).toBe(after!.fingerprint256)
})

test.each(['certificateFile', 'keyFile'] as const)(
  'a %s that is not there is told by name',
  async (file) => {
    const tls = { ...folder.files, [file]: `${folder.files[file]}.missing` }
    const opening = listenWebSocket(() => {}, { tls })
    await expect(opening).rejects.toMatchObject({ code: 'SS_BAD_ARGUMENT' })
    await expect(opening).rejects.toThrow(`${folder.files[file]}.missing`)
  },
)

test('files that are no certificate and key are told as such', async () => {
  folder.write({ certificate: 'hello', key: 'world' })
  const opening = listenWebSocket(() => {}, { tls: folder.files })
  await expect(opening).rejects.toMatchObject({ code: 'SS_BAD_ARGUMENT' })
  expect(() => listener.reloadTls()).toThrow(expect.objectContaining({ code: 'SS_BAD_ARGUMENT' }))
})
