/** The certificate of a server and its key, read from files that operators name. */
import { closeSync, constants, fstatSync, openSync, readFileSync, type Stats } from 'node:fs'
import { createSecureContext, type SecureContextOptions } from 'node:tls'
import { UsageError } from '../../base/errors.ts'
import { isKeyItself, showPath, systemProblem } from './secret-text.ts'

/** Where the certificate and its key are, both in PEM. */
export interface TlsFiles {
  readonly certificateFile: string
  readonly keyFile: string
}

/** Bytes of a file in PEM, at most: a long chain of certificates has 20 000. */
const pemBytesMax = 1_048_576

/** Bits of a file's mode that let others than its owner at it. */
const othersMask = 0o077

/** Reads certificate and key. Throws `SS_BAD_ARGUMENT` when they are not there, or do not fit. */
export function readTls(files: TlsFiles): SecureContextOptions {
  const options: SecureContextOptions = {
    cert: readPem(files.certificateFile, 'certificate'),
    key: readPem(files.keyFile, 'key'),
    minVersion: 'TLSv1.2',
  }
  try {
    createSecureContext(options)
  } catch (cause) {
    const names = `${showPath(files.certificateFile)} and ${showPath(files.keyFile)}`
    throw new UsageError(
      'SS_BAD_ARGUMENT',
      `Cannot encrypt with ${names}: ${systemProblem(cause)}; they must be a certificate and its key in PEM`,
      { cause },
    )
  }
  return options
}

/** What somebody should know about files that were read. */
export function tlsNotices({ keyFile }: TlsFiles): string[] {
  // There are no such bits in Windows.
  if (process.platform === 'win32') return []
  try {
    const mode = withFile(keyFile, (_, stat) => stat.mode & 0o777)
    if ((mode & othersMask) === 0) return []
    const shown = showPath(keyFile)
    return [
      `Others than its owner may use the TLS key ${shown} (its mode is ${mode.toString(8)}): chmod 600 ${shown}`,
    ]
  } catch {
    // It was there a moment ago, and is read again only when somebody asks for it.
    return []
  }
}

function readPem(path: string, what: string): string {
  if (isKeyItself(path)) {
    throw new UsageError(
      'SS_BAD_ARGUMENT',
      `Cannot read the ${what}: the value is not a path but looks like a ${what}; it must be the path of a file in PEM`,
    )
  }
  let problem: string
  try {
    return withFile(path, (file, stat) => {
      if (!stat.isFile()) throw new NoFileError('it is not a regular file')
      if (stat.size > pemBytesMax) throw new NoFileError(`it has ${stat.size} bytes`)
      return readFileSync(file, 'utf8')
    })
  } catch (cause) {
    problem = cause instanceof NoFileError ? cause.message : systemProblem(cause)
  }
  throw new UsageError(
    'SS_BAD_ARGUMENT',
    `Cannot read the ${what} ${showPath(path)}: ${problem}; it must be a readable file in PEM`,
  )
}

/** A file that is there, but none to read. */
class NoFileError extends Error {}

/** Opens a file without waiting: a FIFO that nobody writes into would hold the start for ever. */
function withFile<T>(path: string, use: (file: number, stat: Stats) => T): T {
  const file = openSync(path, constants.O_RDONLY | (constants.O_NONBLOCK ?? 0))
  try {
    // Of what was opened, not of the path: it may lead elsewhere a moment later.
    return use(file, fstatSync(file))
  } finally {
    closeSync(file)
  }
}
