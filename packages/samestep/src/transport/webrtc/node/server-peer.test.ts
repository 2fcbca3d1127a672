import { expect, test } from 'vitest'
import { FakePeer } from '../testing/fake-peer.ts'
import type { ServerPeerOptions } from './server-peer.ts'
import { ServerPeer } from './server-peer.ts'

/** A server's peer over a fake one, with the candidates that it told. */
function open(options: ServerPeerOptions): { peer: FakePeer; server: ServerPeer; told: string[] } {
  const peer = new FakePeer()
  const server = new ServerPeer(peer, options)
  const told: string[] = []
  server.open({
    handleDescription: () => {},
    handleCandidate: (candidate) => told.push(candidate),
    handleReached: () => {},
    handleBroken: () => {},
    handleFault: (error) => expect.unreachable(String(error)),
  })
  return { peer, server, told }
}

const own = (address: string, type = 'host'): string =>
  `candidate:1 1 UDP 2114977791 ${address} 7777 typ ${type}`

test('one address stands for all own ones of its family, once; others are not told', () => {
  const { peer, told } = open({ takesCandidates: false, toldAddress: '203.0.113.7' })
  for (const address of ['10.0.0.5', '192.168.1.5', 'fe80::1']) {
    peer.handler!.handleCandidate(own(address), '0')
  }
  peer.handler!.handleCandidate(own('198.51.100.1', 'relay'), '0')
  expect(told).toEqual([own('203.0.113.7'), own('198.51.100.1', 'relay')])
})

test('a library that is bound to one address tells it as it is', () => {
  const { peer, told } = open({ takesCandidates: false })
  peer.handler!.handleCandidate(own('10.0.0.5'), '0')
  expect(told).toEqual([own('10.0.0.5')])
})

test('addresses of strangers are not tried, unless the server is told to', () => {
  for (const takesCandidates of [false, true]) {
    const { peer, server } = open({ takesCandidates })
    server.addCandidate(own('10.0.0.9'), '0')
    expect(peer.calls).toEqual(takesCandidates ? [`${own('10.0.0.9')} of 0`] : [])
  }
})
