import { EventEmitter } from 'node:events'
import { expect, test } from 'vitest'
import type { ThreadPort } from './thread-port.ts'
import { listenTo } from './thread-port.ts'

test('a worker of Node emits values, and is heard as well as a port', () => {
  const worker = Object.assign(new EventEmitter(), { postMessage: () => {} })
  const heard: unknown[] = []
  const stop = listenTo(worker, 'message', (message) => heard.push(message))
  listenTo(worker, 'exit', (code) => heard.push(code))
  worker.emit('message', { data: 1 })
  worker.emit('exit', 0)
  stop()
  worker.emit('message', { data: 2 })
  expect(heard).toEqual([{ data: 1 }, 0])
})

test('a port of a page, or of Node, gives what its events hold', async () => {
  const { port1, port2 } = new MessageChannel()
  const heard: unknown[] = []
  const first = new Promise<void>((resolve) => {
    listenTo(port1 as ThreadPort, 'message', (message) => {
      heard.push(message)
      resolve()
    })
  })
  const over = new Promise<void>((resolve) => {
    listenTo(port1 as ThreadPort, 'close', () => resolve())
  })
  port2.postMessage({ data: 1 })
  await first
  port2.close()
  await over
  expect(heard).toEqual([{ data: 1 }])
})
