import { readFileSync } from 'node:fs'
import { expect, test, vi } from 'vitest'
import { libraryVersion } from '../transport/webrtc/node/native-peer.ts'
import { startRelay } from './start-relay.ts'

vi.mock('node-datachannel', () => {
  throw new Error('Cannot find package')
})

test('a relay that is asked for WebRTC says how to install what is missing', async () => {
  const starting = startRelay({ port: 0, udp: false, log: false, webrtc: { port: 0 } })
  await expect(starting).rejects.toMatchObject({
    code: 'SS_BAD_ARGUMENT',
    message: expect.stringContaining('npm install node-datachannel@0.33.4'),
  })
})

test('a relay that is not asked for it does not miss it', async () => {
  const relay = await startRelay({ port: 0, udp: false, log: false })
  expect(relay.notices).toEqual([])
  await relay.close()
})

test('the version that people are told to install is the one that the package asks for', () => {
  const path = new URL('../../package.json', import.meta.url)
  const { peerDependencies } = JSON.parse(readFileSync(path, 'utf8'))
  expect(peerDependencies['node-datachannel']).toBe(libraryVersion)
})
