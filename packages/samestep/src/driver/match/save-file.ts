import { UsageError } from '../../base/errors.ts'

/** What Node and browsers have to give bytes to a person. */
interface Host {
  readonly process?: {
    getBuiltinModule?(name: string): {
      writeFileSync(path: string, bytes: Uint8Array): void
    }
  }
  readonly document?: Document
}

/**
 * Gives bytes to whoever sits at this machine: on a page as a download, in Node as a file. Gives its name
 * or path.
 *
 * @throws UsageError `SS_BAD_ARGUMENT` where there is neither a page nor a disk.
 */
export function saveFile(path: string, bytes: Uint8Array, host: Host = globalThis as Host): string {
  const { document } = host
  // Not by import: a bundler would look for a module that no browser has.
  const disk = host.process?.getBuiltinModule?.('node:fs')
  if (disk !== undefined) {
    disk.writeFileSync(path, bytes)
    return path
  }
  if (document === undefined) {
    throw new UsageError(
      'SS_BAD_ARGUMENT',
      'Cannot save the report: there is neither a page nor a disk; send the result of toBytes()',
    )
  }
  const name = path.replace(/^.*[\\/]/, '')
  const type = 'application/octet-stream'
  const url = URL.createObjectURL(new Blob([bytes as Uint8Array<ArrayBuffer>], { type }))
  const link = document.createElement('a')
  link.href = url
  link.download = name
  link.click()
  // The download has its own hold on the bytes once it was begun, which takes browsers a moment.
  setTimeout(() => URL.revokeObjectURL(url), revokeMs)
  return name
}

/** How long a download may take to begin. */
const revokeMs = 60_000
