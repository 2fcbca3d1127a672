import { describe, expect, test } from 'vitest'
import { Inbox } from './inbox.ts'

describe('Inbox', () => {
  test('gives messages in the sequence of their arrival, however pushes and polls alternate', () => {
    const inbox = new Inbox(1_000_000)
    const taken: number[] = []
    let pushed = 0
    for (let turn = 0; turn < 2_000; turn++) {
      for (let count = turn % 4; count > 0; count--)
        inbox.push('tick', Uint8Array.of(pushed++ & 255))
      const message = inbox.poll()
      if (message !== undefined) taken.push(message.bytes[0]!)
    }
    for (let message = inbox.poll(); message; message = inbox.poll()) taken.push(message.bytes[0]!)
    expect(taken).toEqual(Array.from({ length: pushed }, (_, index) => index & 255))
    expect(inbox.heldBytes).toBe(0)
    expect(inbox.pushedCount).toBe(pushed)
  })

  test('is full when its bytes and a charge for each message reach the limit', () => {
    const inbox = new Inbox(200)
    inbox.push('bulk', new Uint8Array(36))
    expect(inbox.isFull).toBe(false)
    inbox.push('control', new Uint8Array(36))
    expect(inbox.isFull).toBe(true)
    expect(inbox.poll()?.lane).toBe('bulk')
    expect(inbox.isFull).toBe(false)
  })
})
