/** Reads files that operators name and that may be anything: a FIFO, a device, gigabytes. */
import { closeSync, constants, fstatSync, openSync, readFileSync, type Stats } from 'node:fs'
import { UsageError } from '../../base/errors.ts'
import { isKeyItself, showPath, systemProblem } from '../../transport/node/secret-text.ts'

/** Far more than any key has. */
const fileBytesMax = 65_536

/** Bits of a file's mode that let others than its owner at it. */
const othersMask = 0o077

/** How a file is read. */
export interface SmallFileOptions {
  /** It holds a secret: others than its owner must not be able to read it. */
  readonly isPrivate?: boolean
}

/** The bytes of a file; `what` it holds is for the message. Throws `SS_BAD_ARGUMENT`. */
export function readSmallFile(path: string, what: string, options: SmallFileOptions = {}): Buffer {
  if (isKeyItself(path)) {
    const is = `the value is not a path but looks like a ${what}`
    throw new UsageError(
      'SS_BAD_ARGUMENT',
      `Cannot read the ${what}: ${is}; give the path of a file`,
    )
  }
  let problem: string
  try {
    // Without waiting: a FIFO that nobody writes into would hold the start for ever.
    const file = openSync(path, constants.O_RDONLY | (constants.O_NONBLOCK ?? 0))
    try {
      // Of what was opened, not of the path: it may lead elsewhere a moment later.
      problem = faultOf(fstatSync(file), options, path) ?? ''
      if (problem === '') return readFileSync(file)
    } finally {
      closeSync(file)
    }
  } catch (cause) {
    problem = `${systemProblem(cause)}; it must be a readable file`
  }
  throw new UsageError('SS_BAD_ARGUMENT', `Cannot read the ${what} ${showPath(path)}: ${problem}`)
}

function faultOf(
  stat: Stats,
  { isPrivate = false }: SmallFileOptions,
  path: string,
): string | undefined {
  const { size } = stat
  const mode = stat.mode & 0o777
  if (!stat.isFile()) return 'it is not a regular file'
  if (size > fileBytesMax) return `it has ${size} bytes; it must have at most ${fileBytesMax}`
  // There are no such bits in Windows.
  if (!isPrivate || process.platform === 'win32' || (mode & othersMask) === 0) return undefined
  return `others than its owner may use it (its mode is ${mode.toString(8)}); it must be its owner's alone: chmod 600 ${showPath(path)}`
}
