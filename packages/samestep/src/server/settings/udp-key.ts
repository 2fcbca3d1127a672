/**
 * The secret key by which clients of UDP know a relay again after a restart: given as it is, or kept
 * in a file that is made when it is missing.
 *
 * The same key in another life of the relay repeats no nonce (T-08): it only proves who the relay is.
 * What encrypts comes from keys that both sides draw for each session and forget.
 */
import { randomBytes } from 'node:crypto'
import {
  closeSync,
  constants,
  fstatSync,
  fsyncSync,
  linkSync,
  lstatSync,
  openSync,
  readSync,
  unlinkSync,
  writeSync,
} from 'node:fs'
import { UsageError } from '../../base/errors.ts'
import { isKeyItself, showPath, systemProblem } from '../../transport/node/secret-text.ts'
import { keyBytes } from '../../transport/udp/limits.ts'

/** A key, and whether it was made just now. */
export interface UdpKey {
  readonly secretKey: Uint8Array
  readonly isNew: boolean
}

/** What a key is written as. */
const keyText = /^[\w-]{43}$/

/** What stands in a file: the text and the end of its line; a little more, to tell what is longer. */
const fileBytesMax = 64

/** Bits of a file's mode that let others than its owner at it. */
const othersMask = 0o077

/** The 32 bytes that a text of base64url stands for; undefined for any other text. */
export function parseUdpKey(text: string): Uint8Array | undefined {
  if (!keyText.test(text)) return undefined
  const key = Buffer.from(text, 'base64url')
  // 43 characters have two bits more than a key: only one spelling of each key counts.
  return key.toString('base64url') === text ? Uint8Array.from(key) : undefined
}

/** Reads the key of a file, and makes both if there is none. Throws `SS_BAD_ARGUMENT`. */
export function loadUdpKey(path: string): UdpKey {
  if (isKeyItself(path)) {
    throw new UsageError(
      'SS_BAD_ARGUMENT',
      'Cannot use the UDP key file: the value is not a path but looks like a key; pass the path of a file, or the key as udp.secretKey (SAMESTEP_UDP_KEY)',
    )
  }
  return loadSecretKey(path, 'UDP key')
}

/** The same for a key of another purpose, which messages call by its name. */
export function loadSecretKey(path: string, name: string): UdpKey {
  const known = readKey(path, name)
  if (known !== undefined) return { secretKey: known, isNew: false }
  if (lstatSync(path, { throwIfNoEntry: false }) !== undefined) throw leadsNowhere(path, name)
  const isNew = makeKey(path, name)
  // Read back, because another relay that starts at the same moment may have been faster.
  const secretKey = readKey(path, name)
  if (secretKey === undefined) throw leadsNowhere(path, name)
  return { secretKey, isNew }
}

/** The key in a file; undefined when there is no such file. */
function readKey(path: string, name: string): Uint8Array | undefined {
  let file: number
  try {
    // Without waiting: a FIFO that nobody writes into would hold the start for ever.
    file = openSync(path, constants.O_RDONLY | (constants.O_NONBLOCK ?? 0))
  } catch (cause) {
    if ((cause as NodeJS.ErrnoException).code === 'ENOENT') return undefined
    throw cannotUse(
      path,
      name,
      `it cannot be read (${systemProblem(cause)}); it must be a readable file`,
    )
  }
  try {
    // Of what was opened, not of the path: it may lead elsewhere a moment later.
    const stat = fstatSync(file)
    if (!stat.isFile())
      throw cannotUse(path, name, 'it is not a file; it must be a file with a key')
    const mode = stat.mode & 0o777
    // There are no such bits in Windows.
    if (process.platform !== 'win32' && (mode & othersMask) !== 0) {
      throw cannotUse(
        path,
        name,
        `others than its owner may use it (its mode is ${mode.toString(8)}); it must be its owner's alone: chmod 600 ${showPath(path)}`,
      )
    }
    const bytes = Buffer.alloc(fileBytesMax)
    const text = bytes.toString('latin1', 0, readSync(file, bytes, 0, fileBytesMax, 0))
    const key = parseUdpKey(text.replace(/\r?\n$/, ''))
    if (key !== undefined) return key
    // What is there instead may be another secret: it is not shown.
    throw cannotUse(
      path,
      name,
      'it has no key; it must have 43 characters of base64url in one line; let the relay make one in a file that does not exist yet',
    )
  } finally {
    closeSync(file)
  }
}

/** Writes a new key. False when somebody else has made the file meanwhile. Never a half one. */
function makeKey(path: string, name: string): boolean {
  const draft = `${path}.${process.pid}.new`
  try {
    const file = openSync(draft, 'wx', 0o600)
    try {
      writeSync(file, `${randomBytes(keyBytes).toString('base64url')}\n`)
      fsyncSync(file)
    } finally {
      closeSync(file)
    }
  } catch (cause) {
    throw cannotMake(path, name, cause)
  }
  try {
    // A link is there wholly or not at all, and never replaces a file.
    linkSync(draft, path)
    return true
  } catch (cause) {
    if ((cause as NodeJS.ErrnoException).code === 'EEXIST') return false
    throw cannotMake(path, name, cause)
  } finally {
    unlinkSync(draft)
  }
}

function cannotMake(path: string, name: string, cause: unknown): UsageError {
  return new UsageError(
    'SS_BAD_ARGUMENT',
    `Cannot make the ${name} file ${showPath(path)}: ${systemProblem(cause)}; it must be in a folder that exists and that this user may write to`,
  )
}

/** A key made now would be another one at every start, and lost with the process. */
function leadsNowhere(path: string, name: string): UsageError {
  return cannotUse(
    path,
    name,
    'it is a link to a file that does not exist; remove the link, or make the file that it leads to',
  )
}

function cannotUse(path: string, name: string, problem: string): UsageError {
  return new UsageError(
    'SS_BAD_ARGUMENT',
    `Cannot use the ${name} file ${showPath(path)}: ${problem}`,
  )
}
