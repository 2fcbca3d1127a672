import { expect, test } from 'vitest'
import { RelayOutputs } from './relay-outputs.ts'

test('gives what it was given in its sequence, however pushes and polls alternate', () => {
  const outputs = new RelayOutputs()
  const given: unknown[] = []
  const taken: unknown[] = []
  const take = () => {
    const output = outputs.shift()
    if (output !== undefined) taken.push({ ...output })
    return output !== undefined
  }
  for (let turn = 0; turn < 500; turn++) {
    for (let count = turn % 5; count > 0; count--) {
      const link = given.length
      if (link % 7 === 0) {
        outputs.push({ type: 'close', link, code: 4_000 })
        given.push({ type: 'close', link, code: 4_000 })
      } else {
        outputs.pushSend(link, Uint8Array.of(link & 255))
        given.push({ type: 'send', link, bytes: Uint8Array.of(link & 255) })
      }
    }
    take()
    expect(outputs.isEmpty).toBe(taken.length === given.length)
  }
  while (take());
  expect(taken).toEqual(given)
})

test('keeps nothing that was taken, also after a flood', () => {
  const outputs = new RelayOutputs()
  for (let round = 0; round < 2; round++) {
    for (let link = 0; link < 20_000; link++) outputs.pushSend(link, Uint8Array.of(1))
    let links = 0
    for (let output = outputs.shift(); output; output = outputs.shift()) {
      expect(output).toMatchObject({ type: 'send', link: links })
      links += 1
    }
    expect(links).toBe(20_000)
    expect(outputs.isEmpty).toBe(true)
  }
})

test('makes no object for a packet', () => {
  const outputs = new RelayOutputs()
  outputs.pushSend(1, Uint8Array.of(1))
  outputs.pushSend(2, Uint8Array.of(2))
  const first = outputs.shift()
  expect(outputs.shift()).toBe(first)
})
