/** T-22: ten thousand strangers who send a request by one byte per second, from a hundred addresses. */
import { readFileSync, writeFileSync } from 'node:fs'
import { connect, type Socket } from 'node:net'
import { afterEach, expect, test } from 'vitest'
import { CertificateFolder, certificates } from '../transport/testing/certificates.ts'
import { until } from '../transport/testing/recorder.ts'
import { dialWebSocket } from '../transport/websocket-client.ts'
import { openFilesMax } from './file-limit.ts'
import { TestPlayer } from './testing/player.ts'
import { RelayProcess } from './testing/relay-process.ts'

const strangers = 10_000
const addresses = 100
const mibMax = 50

const afterwards: (() => void)[] = []
afterEach(() => {
  for (const tidy of afterwards.splice(0)) tidy()
})

/** Memory of a process in MiB: what it has, or the most that it had since it was asked to forget. */
function mibOf(pid: number, line: 'VmRSS' | 'VmHWM'): number {
  const status = readFileSync(`/proc/${pid}/status`, 'utf8')
  return Number(new RegExp(`${line}:\\s+(\\d+)`).exec(status)![1]) / 1_024
}

/** Opens them all, each of which sends its next byte every second for as long as it lives. */
class SlowCrowd {
  opened = 0
  failed = 0
  #begun = 0
  readonly #open = new Map<Socket, number>()
  readonly #port: number
  readonly #request: string
  readonly #timer: NodeJS.Timeout

  constructor(port: number, request: string) {
    this.#port = port
    this.#request = request
    this.#timer = setInterval(() => this.#goOn(), 100)
  }

  get isOver(): boolean {
    return this.opened + this.failed === strangers && this.#open.size === 0
  }

  stop(): void {
    clearInterval(this.#timer)
    for (const socket of this.#open.keys()) socket.destroy()
  }

  #goOn(): void {
    // In portions: more at once than the kernel lets wait would only attack the kernel.
    for (let at = 0; at < 400 && this.#begun < strangers; at++) this.#start()
    const nowMs = performance.now()
    for (const [socket, dueMs] of this.#open) {
      if (dueMs > nowMs) continue
      socket.write(this.#request[socket.bytesWritten % this.#request.length]!, 'latin1')
      this.#open.set(socket, nowMs + 1_000)
    }
  }

  #start(): void {
    const localAddress = `127.0.1.${1 + (this.#begun % addresses)}`
    this.#begun++
    const socket = connect({ port: this.#port, host: '127.0.0.1', localAddress })
    let isOpen = false
    socket.on('connect', () => {
      isOpen = true
      this.opened++
      this.#open.set(socket, 0)
    })
    socket.on('error', () => {})
    socket.on('close', () => {
      if (!isOpen) this.failed++
      this.#open.delete(socket)
    })
    socket.resume()
  }
}

test.each([
  ['HTTP', 'GET /?match=honest HTTP/1.1\r\nHost: localhost\r\nX-Slow: 1234567890'],
  ['TLS', `\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03${'x'.repeat(500)}`],
])(
  'T-22: slow strangers in %s cost less than 50 MiB, and disturb nobody',
  async (scheme, request) => {
    const filesMax = openFilesMax()
    expect(
      filesMax,
      `This test opens ${strangers} sockets, and the system allows ${filesMax} open files: raise it (ulimit -n)`,
    ).toBeGreaterThan(strangers + 200)
    const folder = new CertificateFolder()
    folder.write(certificates[0])
    const { certificateFile, keyFile } = folder.files
    const tls = ['--tls-certificate-file', certificateFile, '--tls-key-file', keyFile]
    const flags = ['--port', '0', '--webrtc', 'off', '--json', ...(scheme === 'TLS' ? tls : [])]
    const relay = new RelayProcess(flags)
    afterwards.push(
      () => relay.kill(),
      () => folder.remove(),
    )
    const { pid, port, urls } = await relay.started()
    const join = (match: string) => {
      // The certificate is for that name.
      const url = `${urls.websocket.replace('127.0.0.1', 'localhost')}/?match=${match}`
      const dial = dialWebSocket(url, { trustedCertificates: certificates[0].certificate })
      const player = new TestPlayer(url, { match, dial })
      afterwards.push(() => player.stop())
      return player
    }
    const player = join('honest')
    await until(() => player.ticks > 30, 'a match')

    writeFileSync(`/proc/${pid}/clear_refs`, '5')
    const mibBefore = mibOf(pid, 'VmRSS')
    const crowd = new SlowCrowd(port, request)
    afterwards.push(() => crowd.stop())
    await until(() => crowd.opened > strangers / 2, 'half of the crowd')
    const amid = join('amid')
    await until(() => amid.ticks > 3, 'a join amid the crowd')
    await until(() => crowd.isOver, 'the end of all of them')
    const mib = mibOf(pid, 'VmHWM') - mibBefore
    const late = join('late')
    await until(() => late.ticks > 3, 'a join after the crowd')

    expect([crowd.opened, crowd.failed]).toEqual([strangers, 0])
    expect(mib).toBeLessThan(mibMax)
    for (const each of [player, amid, late]) expect(each.ends).toEqual([])
    relay.kill('SIGTERM')
    expect(await relay.ended()).toBe(0)
  },
)
