import { describe, expect, test } from 'vitest'
import { closeCodes } from '../wire/codes.ts'
import { makeReturnProof } from '../wire/messages/return-proof.ts'
import { badProofsMax, badProofsMs } from './links/bad-proofs.ts'
import { handshakeMsMax } from './links/link-state.ts'
import { RelayWorld } from './testing/relay-world.ts'
import type { JoinOptions } from './testing/scripted-client.ts'
import { testSecret } from './testing/scripted-client.ts'

/** A match that runs, and what somebody may know who listens. */
function start() {
  const world = new RelayWorld()
  const [ada, bob] = [world.join({ address: 'home' }), world.join()]
  ada.isConfirming = true
  bob.isConfirming = true
  world.run(1_000)
  const { ticket } = ada.body('RelaySeated')!
  /** Somebody with the ticket, who answers what is asked with a secret, or not at all. */
  const steal = (secret?: Uint8Array, options: JoinOptions = {}) => {
    const thief = world.connect('stream', options.address)
    thief.secret = secret
    thief.hello()
    thief.join({ ticket, nextTick: 21, ...options })
    return thief
  }
  return { world, ada, ticket, steal }
}

const wrong = new Uint8Array(32).fill(6)

describe('T-68 a ticket alone', () => {
  test('takes nothing over: its holder is asked for a proof, and the session stays where it is', () => {
    const { world, ada, steal } = start()
    const thief = steal()
    expect(thief.body('RelayChallenge')?.nonce).toHaveLength(16)
    world.run(200)
    expect(thief.body('RelaySeated')).toBeUndefined()
    expect(ada.closedWith).toBeUndefined()
    expect(ada.receivedTick).toBe(24)
    world.run(handshakeMsMax)
    expect(thief.closedWith).toBe(closeCodes['too-slow'])
  })

  test('with a wrong proof is refused, at the first', () => {
    const { ada, steal } = start()
    const thief = steal(wrong)
    expect(thief.body('RelayRefuse')).toMatchObject({ reason: 'auth', item: 'proof' })
    expect(thief.closedWith).toBe(closeCodes.auth)
    expect(ada.closedWith).toBeUndefined()
  })

  test('with an answer that was heard on another link is refused', () => {
    const { world, ada, ticket, steal } = start()
    world.breakLink(ada)
    const back = steal(testSecret)
    expect(back.body('RelaySeated')).toMatchObject({ seat: 0 })
    const { nonce } = back.body('RelayChallenge')!
    const heard = makeReturnProof(testSecret, nonce, ticket)
    const thief = steal()
    expect(thief.body('RelayChallenge')?.nonce).not.toEqual(nonce)
    thief.say('ClientProof', { proof: heard, isMove: false })
    expect(thief.body('RelayRefuse')).toMatchObject({ reason: 'auth' })
    expect(back.closedWith).toBeUndefined()
  })

  test('with a secret of the thief in the join changes nothing', () => {
    const { steal } = start()
    expect(steal(wrong, { secret: wrong }).body('RelayRefuse')).toMatchObject({ reason: 'auth' })
  })

  test('of a session without a secret is of no use to anybody', () => {
    const world = new RelayWorld()
    const ada = world.join({ secret: undefined })
    const { ticket } = ada.body('RelaySeated')!
    world.breakLink(ada)
    expect(world.join({ ticket }).body('RelayRefuse')).toMatchObject({ reason: 'auth' })
  })
})

describe('T-68 wrong proofs', () => {
  test('are limited for an address, and its owner still comes back from his own', () => {
    const { world, ada, steal } = start()
    for (let count = 0; count < badProofsMax; count++) steal(wrong, { address: 'den' })
    const thief = steal(testSecret, { address: 'den' })
    expect(thief.body('RelayChallenge')).toBeUndefined()
    expect(thief.body('RelayRefuse')).toMatchObject({ reason: 'auth', item: 'proofs' })
    world.breakLink(ada)
    expect(steal(testSecret, { address: 'elsewhere' }).body('RelayRefuse')).toBeDefined()
    const back = steal(testSecret, { address: 'home' })
    expect(back.body('RelaySeated')).toMatchObject({ seat: 0 })
    back.receivedTick = 20
    back.isConfirming = true
    world.run(badProofsMs)
    const late = { nextTick: back.receivedTick + 1, address: 'elsewhere' }
    expect(steal(testSecret, late).body('RelaySeated')).toMatchObject({ seat: 0 })
  })

  test('that nobody asked for end the link', () => {
    const { world } = start()
    const stranger = world.connect()
    stranger.hello()
    stranger.say('ClientProof', { isMove: false, proof: new Uint8Array(32) })
    expect(stranger.closedWith).toBe(closeCodes['bad-message'])
  })
})

test('who proves it when his session has just ended is refused', () => {
  const { world, ada, ticket, steal } = start()
  const back = steal()
  ada.say('ClientLeave', { reason: '' })
  world.run(50)
  const proof = makeReturnProof(testSecret, back.body('RelayChallenge')!.nonce, ticket)
  back.say('ClientProof', { proof, isMove: false })
  expect(back.body('RelayRefuse')).toMatchObject({ reason: 'auth' })
})
