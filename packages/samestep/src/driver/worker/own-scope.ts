import { UsageError } from '../../base/errors.ts'
import type { ThreadPort } from './thread-port.ts'

/**
 * Where a worker of a page is spoken to.
 *
 * @throws UsageError `SS_BAD_ARGUMENT` where this is no worker of a page.
 */
export function ownScope(what: 'matches' | 'jobs'): ThreadPort {
  const scope = globalThis as unknown as Partial<ThreadPort> & { readonly document?: unknown }
  if (typeof scope.postMessage === 'function' && scope.document === undefined) {
    return scope as ThreadPort
  }
  throw new UsageError(
    'SS_BAD_ARGUMENT',
    `Cannot serve ${what} here: this is not a worker; call it in the file of new Worker(…), or in Node pass port: parentPort, imported from 'node:worker_threads'`,
  )
}
