import { expect, test } from 'vitest'
import { Speech } from '../../../room/speech.ts'
import type { Session } from '../session.ts'
import { PastSpeech } from './past-speech.ts'

function sessionOf(identity: string | undefined, address?: string): Session {
  const member = { speech: new Speech(0) }
  const ticket = new Uint8Array(16).fill(address?.length ?? 0)
  return { member, ticket, visitor: { identity, address } } as unknown as Session
}

function muted(identity: string): Session {
  const session = sessionOf(identity)
  session.member.speech.mute('owner', Number.POSITIVE_INFINITY)
  return session
}

const isMuted = (past: PastSpeech, identity: string): boolean => {
  const back = sessionOf(identity)
  past.recall(back, 0)
  return back.member.speech.isMuted(0)
}

test('256 of each kind are remembered, and those who never spoke take no place', () => {
  const past = new PastSpeech()
  past.keep(muted('first'), 0)
  for (let number = 0; number < 255; number++) past.keep(muted(`m${number}`), 0)
  for (let number = 0; number < 1_000; number++) past.keep(sessionOf(`quiet ${number}`), 0)
  expect([isMuted(past, 'first'), isMuted(past, 'm254')]).toEqual([true, true])
  // Strangers without an identity push nobody out who has one.
  for (let number = 0; number < 1_000; number++) {
    const stranger = sessionOf(undefined, `${number}`)
    stranger.member.speech.take(0)
    past.keep(stranger, 0)
  }
  expect(isMuted(past, 'first')).toBe(true)
  past.keep(muted('one more'), 0)
  expect([isMuted(past, 'first'), isMuted(past, 'one more')]).toEqual([false, true])
})

test('of several who left one address, the one with the fewest lines counts', () => {
  const past = new PastSpeech()
  const [loud, quiet] = [sessionOf(undefined, 'there'), sessionOf(undefined, 'there')]
  for (let line = 0; line < 5; line++) loud.member.speech.take(0)
  quiet.member.speech.take(0)
  past.keep(loud, 0)
  past.keep(quiet, 0)
  const other = sessionOf('somebody', 'there')
  past.recall(other, 2_000)
  expect(other.member.speech.linesLeft(2_000)).toBe(2)
  const later = sessionOf('somebody', 'there')
  past.recall(later, 60_000)
  expect(later.member.speech.linesLeft(60_000)).toBe(5)
})
