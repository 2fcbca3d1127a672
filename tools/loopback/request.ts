import { get } from 'node:http'
import { host } from './sockets.ts'

/** How one request ended. */
export interface Answered {
  /** 0 when nobody answered in time. */
  readonly status: number
  readonly body: string
  readonly ms: number
}

/** Asks for a page once, by a connection of its own that nothing keeps open afterwards. */
export function request(port: number, path: string, timeoutMs = 5_000): Promise<Answered> {
  const fromMs = performance.now()
  return new Promise((resolve) => {
    const end = (status: number, body: string) => {
      resolve({ status, body, ms: performance.now() - fromMs })
    }
    const signal = AbortSignal.timeout(timeoutMs)
    const asked = get({ host, port, path, agent: false, signal }, (response) => {
      let body = ''
      let bytes = 0
      response.setEncoding('latin1')
      response.on('data', (chunk: string) => {
        bytes += chunk.length
        // Large files are downloaded for their size only.
        if (bytes <= 65_536) body += chunk
      })
      response.on('end', () => end(response.complete ? (response.statusCode ?? 0) : 0, body))
      response.on('error', () => end(0, body))
    })
    asked.on('error', () => end(0, ''))
  })
}
