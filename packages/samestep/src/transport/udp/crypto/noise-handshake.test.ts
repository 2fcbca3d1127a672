import { expect, test } from 'vitest'
import { open, seal } from './aead.ts'
import { NoiseHandshake, type NoisePattern } from './noise-handshake.ts'
import { makeKeyPair } from './x25519.ts'

const hex = (text: string): Uint8Array => Uint8Array.from(Buffer.from(text, 'hex'))
const toHex = (bytes: Uint8Array | undefined): string | undefined =>
  bytes && Buffer.from(bytes).toString('hex')

type Vector = {
  readonly source: string
  readonly pattern: NoisePattern
  readonly prologue: string
  readonly initStatic: string
  readonly initEphemeral: string
  readonly respStatic: string
  readonly respEphemeral: string
  readonly hash?: string
  /** Payload and ciphertext, handshake first, then transport messages in turns. */
  readonly messages: readonly (readonly [string, string])[]
}

/** Published test vectors: facts, written down by the authors of other implementations. */
const vectors: readonly Vector[] = [
  {
    source: 'cacophony',
    pattern: 'IK',
    prologue: '4a6f686e2047616c74',
    initStatic: 'e61ef9919cde45dd5f82166404bd08e38bceb5dfdfded0a34c8df7ed542214d1',
    initEphemeral: '893e28b9dc6ca8d611ab664754b8ceb7bac5117349a4439a6b0569da977c464a',
    respStatic: '4a3acbfdb163dec651dfa3194dece676d437029c62a408b4c5ea9114246e4893',
    respEphemeral: 'bbdb4cdbd309f1a1f2e1456967fe288cadd6f712d65dc7b7793d5e63da6b375b',
    hash: '0b0f68fb0c27e03ce9b97565995ed4838cc0581b762ef72b062f6a546419fad7',
    messages: [
      [
        '4c756477696720766f6e204d69736573',
        'ca35def5ae56cec33dc2036731ab14896bc4c75dbb07a61f879f8e3afa4c7944718da798efbcd91528520204f904b9bd6c7413dccdc214d951e15253e39987f18146e8cd0873654207148333479d4d16c289f0294b29960a72f48e0b7bba2e89083169825e59642148d492020664ccf7',
      ],
      [
        '4d757272617920526f746862617264',
        '95ebc60d2b1fa672c1f46a8aa265ef51bfe38e7ccb39ec5be34069f1448088435361e70b2ed446e6c9ec387d1d6b3b840f194e373979d241b203c4acafccf5',
      ],
      ['462e20412e20486179656b', '050e9f3c8fac16b68dbce8f8c4bfbf6617c897f9ada4aa29aa19c8'],
      ['4361726c204d656e676572', '344233a6cabb7141d80f3da2fedc311d9646bbb0f505afe403a667'],
      [
        '4a65616e2d426170746973746520536179',
        '62cdeeb172ad7ade7aa7d9e069da5790f12331bfa00177787a1d0810c67dc3b2b4',
      ],
      [
        '457567656e2042f6686d20766f6e2042617765726b',
        '029bead1b40992327044d409d9a1f3ad8f36c3c452775d557e18bbeb2e8dfcead32d514024',
      ],
    ],
  },
  {
    source: 'snow',
    pattern: 'IK',
    prologue:
      '5468657265206973206e6f20726967687420616e642077726f6e672e2054686572652773206f6e6c792066756e20616e6420626f72696e672e',
    initStatic: 'f49f93c5112c0787acc808d61716d7e090e076a58f15a3f78d92773f8dcb473b',
    initEphemeral: 'dae68498c41315cff7e4a34dded8d973199d8f0cf3fcb8b6651c169de77de8be',
    respStatic: 'b790546f98b1e933c48cd01f17e7b281469d46fcacc9a3b584ae65b1d6272e8e',
    respEphemeral: 'c0875a5b59c8492bd2135e5432d7d484f938e0a1f5009428c4bcb70b2f69f69f',
    messages: [
      [
        '95a8f51c435a9530ff1f30868ed7b23ec952eb513c26a0774fed82d2978a8c81',
        '6d21fec9141f3f37cc464e936a48b2d9521b5a44e0f3d960895d3c3fba30282f731f445c25e898e2534ac0536715b24308c108fc46bd260c887b36c3f68e3a05654fc8295c068ed53fb2022560961224e0b10b0835e1efc82fc587cd50f7178fe3d9eb06e0351c6e7334162c10bed670bfa2a105f7b2768a140b3fd597782601',
      ],
      [
        'b866b807a6d8b83182b884dbfedc861843c5082bd6e480cb54e4245a72083041',
        'e64e1fb8701c4f4bc3850b255fea657d4d835338b059c89acc99628fbe52473b41a4e79e3c1e6abc46bf80f078a005e15d8a3e04f989af3e6cb99b52031165006163ac3e17b928af8c116009d7bf4fb2',
      ],
      [
        'e3a4937faef391028f759758b428b57652e0069a8dee64dfed01b60846938740',
        '2bebe19102169cdfe79cf41e38930bfd20a5b2fc78ccf33e853ddd939c0983174656eb27b61464a607762848892ca1c0',
      ],
      [
        '693972f27b0cb98aeac1fb54d782125431e7540e0cb2fa882cf51a8184d724fd',
        'c7c56da33b45d12f4754e17978bd49999c9c8f51d00db460f902aba2e6e245d0c46662f507915de8596f43b1d175f1db',
      ],
    ],
  },
  {
    source: 'flynn',
    pattern: 'XX',
    prologue: '',
    initStatic: '000102030405060708090a0b0c0d0e0f101112131415161718191a1b1c1d1e1f',
    initEphemeral: '202122232425262728292a2b2c2d2e2f303132333435363738393a3b3c3d3e3f',
    respStatic: '0102030405060708090a0b0c0d0e0f101112131415161718191a1b1c1d1e1f20',
    respEphemeral: '4142434445464748494a4b4c4d4e4f505152535455565758595a5b5c5d5e5f60',
    messages: [
      ['', '358072d6365880d1aeea329adf9121383851ed21a28e3b75e965d0d2cd166254'],
      [
        '',
        '64b101b1d0be5a8704bd078f9895001fc03e8e9f9522f188dd128d9846d484663414af878d3e46a2f58911a816d6e8346d4ea17a6f2a0bb4ef4ed56c133cff4560a34e36ea82109f26cf2e5a5caf992b608d55c747f615e5a3425a7a19eefb8f',
      ],
      [
        '',
        '87f864c11ba449f46a0a4f4e2eacbb7b0457784f4fca1937f572c93603e9c4d97e5ea11b16f3968710b23a3be3202dc1b5e1ce3c963347491e74f5c0768a9b42',
      ],
      [
        '79656c6c6f777375626d6172696e65',
        'a52ef02ba60e12696d1d6b9ef4245c88fca757b6134ad6e76b56e310a6adf6',
      ],
      [
        '7375626d6172696e6579656c6c6f77',
        '2445aa438ebd649281c636cc7269ca82f1d9023d72520943aeabf909cdf521',
      ],
    ],
  },
]

function makePair(vector: Vector): readonly [NoiseHandshake, NoiseHandshake] {
  const { pattern } = vector
  const prologue = hex(vector.prologue)
  const respStatic = makeKeyPair(hex(vector.respStatic))
  const remoteStatic = pattern === 'IK' ? { remoteStatic: respStatic.publicKey } : {}
  return [
    new NoiseHandshake({
      pattern,
      role: 'initiator',
      prologue,
      localStatic: makeKeyPair(hex(vector.initStatic)),
      localEphemeral: makeKeyPair(hex(vector.initEphemeral)),
      ...remoteStatic,
    }),
    new NoiseHandshake({
      pattern,
      role: 'responder',
      prologue,
      localStatic: respStatic,
      localEphemeral: makeKeyPair(hex(vector.respEphemeral)),
    }),
  ]
}

test.each(vectors)('every byte of $pattern is as $source published it', (vector) => {
  const [initiator, responder] = makePair(vector)
  const messages = [...vector.messages]
  let turn = 0
  while (!initiator.isFinished || !responder.isFinished) {
    const [payload, ciphertext] = messages.shift()!
    const [from, to] = turn++ % 2 === 0 ? [initiator, responder] : [responder, initiator]
    const message = from.writeMessage(hex(payload))
    expect(toHex(message)).toBe(ciphertext)
    expect(toHex(to.readMessage(message!))).toBe(payload)
  }
  expect(initiator.hash).toEqual(responder.hash)
  if (vector.hash !== undefined) expect(toHex(initiator.hash)).toBe(vector.hash)
  expect(responder.remoteStatic).toEqual(makeKeyPair(hex(vector.initStatic)).publicKey)
  expect(initiator.remoteStatic).toEqual(makeKeyPair(hex(vector.respStatic)).publicKey)
  const keys = initiator.split()
  expect(responder.split()).toEqual(keys)
  const none = new Uint8Array(0)
  const counts = { initiator: 0, responder: 0 }
  turn = 0
  for (const [payload, ciphertext] of messages) {
    // After the handshake the initiator begins again.
    const who = turn++ % 2 === 0 ? 'initiator' : 'responder'
    const count = counts[who]++
    expect(toHex(seal(keys[who], count, none, hex(payload)))).toBe(ciphertext)
    expect(toHex(open(keys[who], count, none, hex(ciphertext)))).toBe(payload)
  }
})

test.each(vectors)(
  'a wrong message of $pattern changes nothing: the right one is read',
  (vector) => {
    const [initiator, responder] = makePair(vector)
    let turn = 0
    while (!initiator.isFinished || !responder.isFinished) {
      const [from, to] = turn++ % 2 === 0 ? [initiator, responder] : [responder, initiator]
      const message = from.writeMessage(Uint8Array.of(1, 2, 3))!
      // The first message of XX is in the clear: any change shows in the next one only.
      const isClear = vector.pattern === 'XX' && turn === 1
      for (let at = 0; at < message.length && !isClear; at++) {
        const damaged = Uint8Array.from(message)
        damaged[at]! ^= 1 << (at & 7)
        // The highest bit of a coordinate does not count in X25519, but it does in the hash.
        expect(to.readMessage(damaged)).toBeUndefined()
      }
      const prefixes = isClear ? 32 : message.length
      for (let size = 0; size < prefixes; size++) {
        expect(to.readMessage(message.subarray(0, size))).toBeUndefined()
      }
      expect(to.readMessage(message)).toEqual(Uint8Array.of(1, 2, 3))
    }
    expect(initiator.split()).toEqual(responder.split())
  },
)

test('sides with another prologue, which holds the version, do not understand each other (T-13)', () => {
  const vector = vectors[0]!
  const [initiator] = makePair(vector)
  const [, responder] = makePair({ ...vector, prologue: '00' })
  expect(responder.readMessage(initiator.writeMessage(hex(''))!)).toBeUndefined()
})

/** Points of small order, canonical and not: a shared secret with them is all zero (T-05). */
const lowOrderPoints = [
  '0000000000000000000000000000000000000000000000000000000000000000',
  '0100000000000000000000000000000000000000000000000000000000000000',
  'e0eb7a7c3b41b8ae1656e3faf19fc46ada098deb9c32b1fd866205165f49b800',
  '5f9c95bca3508c24b1d0b1559c83ef5b04445cc4581c8e86d8224eddd09f1157',
  'ecffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff7f',
  'edffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff7f',
  'eeffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff7f',
  '0000000000000000000000000000000000000000000000000000000000000080',
  '0100000000000000000000000000000000000000000000000000000000000080',
  'e0eb7a7c3b41b8ae1656e3faf19fc46ada098deb9c32b1fd866205165f49b880',
  '5f9c95bca3508c24b1d0b1559c83ef5b04445cc4581c8e86d8224eddd09f11d7',
  'ecffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff',
  'edffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff',
  'eeffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff',
]

test.each(lowOrderPoints)(
  'T-05 the point %s is refused as a key, and nothing is thrown',
  (point) => {
    const [, responder] = makePair(vectors[0]!)
    const message = new Uint8Array(112)
    message.set(hex(point))
    expect(responder.readMessage(message)).toBeUndefined()
    const [, stranger] = makePair(vectors[2]!)
    expect(stranger.readMessage(hex(point))).toEqual(new Uint8Array(0))
    expect(stranger.writeMessage(new Uint8Array(0))).toBeUndefined()
  },
)
