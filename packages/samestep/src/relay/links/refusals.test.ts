/** Every refusal, as somebody reads it. Whoever adds one reads its sentence aloud first. */
import { expect, test } from 'vitest'
import { makeMatchConfig } from '../../wire/match-config.ts'
import type { MessageBody } from '../../wire/messages.ts'
import { helloMagic, messageTypes } from '../../wire/messages.ts'
import { BundleLog } from '../match/bundle-log.ts'
import type { Refusal } from './door.ts'
import { agreeOn, checkConfig, checkJoin, checkNames, noRoom } from './door.ts'

const config = makeMatchConfig({ seats: 2, tickRate: 30 })
const identity = { gameId: 'dots', gameVersion: 3, fingerprint: new Uint8Array(32).fill(0xab) }
const join: MessageBody<'ClientJoin'> = {
  match: 'friday',
  name: 'Ada',
  role: 'player',
  config,
  ticket: undefined,
  secret: undefined,
  nextTick: 1,
  token: undefined,
  software: undefined,
}
const hello: MessageBody<'ClientHello'> = {
  magic: helloMagic,
  protocols: ['samestep/9'],
  gameId: 'dots',
  gameVersion: 3,
  fingerprint: identity.fingerprint,
}
const match = { identity, config, log: new BundleLog(30) }

function joining(changes: Partial<typeof join>, theirs = identity, isKnown = false) {
  return checkJoin(match, theirs, isKnown, { ...join, ...changes })
}

const ticket = new Uint8Array(16)
const other = new Uint8Array(32)
const dunes = { name: 'maps/dunes.json', hash: new Uint8Array(32) }

test.each<[string, Refusal | string | undefined]>([
  ['your protocol is samestep/9; it must be samestep/1', agreeOn(hello)],
  ['your magic is 5; it must be', agreeOn({ ...hello, magic: 5 })],
  ['your game id is', agreeOn({ ...hello, gameId: 'My Game' })],
  ['your game is tanks; it must be dots', joining({}, { ...identity, gameId: 'tanks' })],
  ['your game version is 4; it must be 3', joining({}, { ...identity, gameVersion: 4 })],
  [
    'your game is not the one of this match, though both say version 3: build all from one source (00000000 and abababab)',
    joining({}, { ...identity, fingerprint: new Uint8Array(32) }),
  ],
  [
    "your files are not those of this match: 'maps/dunes.json' is not in the match",
    joining({ config: { ...config, content: [dunes] } }, { ...identity, fingerprint: other }),
  ],
  [
    'your content is names out of sequence; it must be a list of files',
    joining({ config: { ...config, content: [dunes, dunes] } }),
  ],
  [
    'your content is names out of sequence; it must be a list of files',
    checkConfig({ ...config, content: [dunes, dunes] }),
  ],
  ['your match tickRate is 60; it must be 30', joining({ config: { ...config, tickRate: 60 } })],
  ['nobody in this match has your ticket', joining({ ticket, nextTick: 5 })],
  [
    'you ask for tick 9, and the next one of the match is 1',
    joining({ ticket, nextTick: 9 }, identity, true),
  ],
  ['your name is empty, or has nothing that can be seen', checkNames({ ...join, name: '' })],
  ['your name has more than 32 characters', checkNames({ ...join, name: 'a'.repeat(60) })],
  ['your match name has more than 64 bytes', checkNames({ ...join, match: 'a'.repeat(65) })],
  [
    'your name begins or ends with a space, or has several in a row',
    checkNames({ ...join, name: 'Ada  B' }),
  ],
  [
    'your name has a control character or a line break in it',
    checkNames({ ...join, name: 'A\nB' }),
  ],
  [
    'your name has a character in it that turns the direction of writing around',
    checkNames({ ...join, name: 'A\u202eB' }),
  ],
  ['your name has something in it that is no character', checkNames({ ...join, name: 'A\ufdd0' })],
  ['your name has an invisible character in it', checkNames({ ...join, name: 'A\u200bB' })],
  [
    'your name is not in the composed form of Unicode (NFC)',
    checkNames({ ...join, name: 'Re\u0301' }),
  ],
  ['your match name is empty, or has nothing', checkNames({ ...join, match: ' ' })],
  ['every seat of the match is taken', noRoom('player', 'full')],
  ['nobody more can watch the match', noRoom('spectator', 'full')],
  ['the match is running, and takes no more players', noRoom('player', 'closed')],
  ['the match is running, and takes no more spectators', noRoom('spectator', 'closed')],
  ['the match is just starting; try again when it runs', noRoom('player', 'starting')],
  ['the match has ended', noRoom('player', 'wrong-phase')],
  [
    'your input delay is 0; it must be 2 to',
    checkConfig({ ...config, inputDelay: 0, inputDelayMin: 2, inputDelayMax: 8 }),
  ],
  [
    'the match cannot be: ',
    checkConfig({ ...config, lobby: { ...config.lobby, playersMin: 9, start: 'by-owner' } }),
  ],
])('Cannot let you in: %s', (sentence, refused) => {
  const { message } = refused as Refusal
  expect(message.startsWith(`Cannot let you in: ${sentence}`), message).toBe(true)
  expect(messageTypes.RelayRefuse.fields.accepts(refused)).toBe(true)
})

test('a long name makes no sentence that is too long to be sent', () => {
  const refused = joining({}, { ...identity, gameId: 'x'.repeat(63), fingerprint: ticket })
  expect(messageTypes.RelayRefuse.fields.accepts(refused)).toBe(true)
})
