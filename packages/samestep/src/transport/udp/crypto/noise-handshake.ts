/**
 * Handshakes of the Noise framework over X25519, ChaChaPoly and SHA256, in the two patterns that are
 * needed. Upper line: what the client sends. `e` and `s` are the ephemeral and the static key of the
 * sender, two letters are a Diffie-Hellman between a key of the client and one of the server.
 *
 *     IK   the client knows the server's key:   → e, es, s, ss    ← e, ee, se
 *     XX   nobody knows anybody:                → e               ← e, ee, s, es      → s, se
 *
 * XX and not NX for strangers: after both patterns both sides know each other's static key, so that
 * whatever is built on those keys need not ask how they met. (NK needs the server's key as IK does.)
 */
import { assert } from '../../../base/assert.ts'
import { keyBytes, tagBytes } from '../limits.ts'
import { NoiseSymmetric, type SplitKeys } from './noise-symmetric.ts'
import { agree, type KeyPair } from './x25519.ts'

/** How two sides meet. */
export type NoisePattern = 'IK' | 'XX'

type Token = 'e' | 's' | 'ee' | 'es' | 'se' | 'ss'

const patterns: { readonly [name in NoisePattern]: readonly (readonly Token[])[] } = {
  IK: [
    ['e', 'es', 's', 'ss'],
    ['e', 'ee', 'se'],
  ],
  XX: [['e'], ['e', 'ee', 's', 'es'], ['s', 'se']],
}

/** What a handshake begins with. */
export interface NoiseOptions {
  readonly pattern: NoisePattern
  readonly role: 'initiator' | 'responder'
  /** What both sides must have in common without saying so. */
  readonly prologue: Uint8Array
  readonly localStatic: KeyPair
  /** Made for this handshake and never used for another. */
  readonly localEphemeral: KeyPair
  /** The key of the responder, which the initiator of IK has to know. */
  readonly remoteStatic?: Uint8Array
}

/** One side of a handshake: messages are written and read in turns until it is finished. */
export class NoiseHandshake {
  readonly #messages: readonly (readonly Token[])[]
  readonly #isInitiator: boolean
  readonly #static: KeyPair
  readonly #ephemeral: KeyPair
  #symmetric: NoiseSymmetric
  #remoteStatic: Uint8Array | undefined
  #remoteEphemeral: Uint8Array | undefined
  #next = 0

  constructor(options: NoiseOptions) {
    this.#messages = patterns[options.pattern]
    this.#isInitiator = options.role === 'initiator'
    this.#static = options.localStatic
    this.#ephemeral = options.localEphemeral
    this.#symmetric = new NoiseSymmetric(`Noise_${options.pattern}_25519_ChaChaPoly_SHA256`)
    this.#symmetric.mixHash(options.prologue)
    if (options.pattern !== 'IK') return
    const known = this.#isInitiator ? options.remoteStatic : this.#static.publicKey
    assert(known !== undefined, 'The initiator of IK knows the key of the responder')
    if (this.#isInitiator) this.#remoteStatic = known
    this.#symmetric.mixHash(known)
  }

  get isFinished(): boolean {
    return this.#next === this.#messages.length
  }

  /** The hash of the conversation so far. */
  get hash(): Uint8Array {
    return this.#symmetric.hash
  }

  /** The static key of the other side; `undefined` before it was heard. */
  get remoteStatic(): Uint8Array | undefined {
    return this.#remoteStatic
  }

  /** The next message; `undefined` if a key of the other side is one that nobody honest has (T-05). */
  writeMessage(payload: Uint8Array): Uint8Array | undefined {
    const tokens = this.#takeTurn(true)
    const parts: Uint8Array[] = []
    for (const token of tokens) {
      if (token === 'e') {
        parts.push(this.#ephemeral.publicKey)
        this.#symmetric.mixHash(this.#ephemeral.publicKey)
      } else if (token === 's') {
        parts.push(this.#symmetric.encryptAndHash(this.#static.publicKey))
      } else if (!this.#mixSecret(token)) {
        return undefined
      }
    }
    parts.push(this.#symmetric.encryptAndHash(payload))
    this.#next++
    return Uint8Array.from(Buffer.concat(parts))
  }

  /**
   * Reads the other side's next message: its payload, or `undefined` for bytes that do not belong
   * here. Those change nothing: the right message may still come.
   */
  readMessage(message: Uint8Array): Uint8Array | undefined {
    const tokens = this.#takeTurn(false)
    const before = this.#symmetric.clone()
    const { remoteStatic, remoteEphemeral } = this.#remoteKeys()
    const payload = this.#read(tokens, message)
    if (payload !== undefined) {
      this.#next++
      return payload
    }
    this.#symmetric = before
    this.#remoteStatic = remoteStatic
    this.#remoteEphemeral = remoteEphemeral
    return undefined
  }

  /** The keys for what follows. */
  split(): SplitKeys {
    assert(this.isFinished, 'Keys are split after the last message')
    return this.#symmetric.split()
  }

  #takeTurn(isWriting: boolean): readonly Token[] {
    const isOwnTurn = (this.#next % 2 === 0) === this.#isInitiator
    assert(!this.isFinished && isOwnTurn === isWriting, 'Messages are written and read in turns')
    return this.#messages[this.#next]!
  }

  #remoteKeys() {
    return { remoteStatic: this.#remoteStatic, remoteEphemeral: this.#remoteEphemeral }
  }

  #read(tokens: readonly Token[], message: Uint8Array): Uint8Array | undefined {
    let at = 0
    let isSecret = this.#next > 0
    for (const token of tokens) {
      if (token === 'e') {
        if (message.length < at + keyBytes) return undefined
        this.#remoteEphemeral = message.slice(at, at + keyBytes)
        this.#symmetric.mixHash(this.#remoteEphemeral)
        at += keyBytes
      } else if (token === 's') {
        const size = isSecret ? keyBytes + tagBytes : keyBytes
        if (message.length < at + size) return undefined
        this.#remoteStatic = this.#symmetric.decryptAndHash(message.subarray(at, at + size))
        if (this.#remoteStatic === undefined) return undefined
        at += size
      } else {
        if (!this.#mixSecret(token)) return undefined
        isSecret = true
      }
    }
    return this.#symmetric.decryptAndHash(message.subarray(at))
  }

  /** Diffie-Hellman of the keys that the token names, the client's first. */
  #mixSecret(token: Token): boolean {
    const [own, other] = this.#isInitiator ? [0, 1] : [1, 0]
    const pair = token[own] === 'e' ? this.#ephemeral : this.#static
    const remote = token[other] === 'e' ? this.#remoteEphemeral : this.#remoteStatic
    assert(remote !== undefined, `The other side has sent its key before ${token}`)
    const secret = agree(pair, remote)
    if (secret === undefined) return false
    this.#symmetric.mixKey(secret)
    return true
  }
}
