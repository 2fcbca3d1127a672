/** A folder of pages for a relay under attack. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

/** A file that no socket's buffers hold: on loopback they take about 4 MB. */
const largeBytes = 8_000_000

/** The page that everybody loads, and the file that takes long. */
export const pagePath = '/index.html'
export const largePath = '/large.bin'

/** Makes the folder; `remove` deletes it. */
export function makeSite(): { readonly folder: string; remove(): void } {
  const folder = mkdtempSync(join(tmpdir(), 'samestep-site-'))
  writeFileSync(join(folder, pagePath), '<!doctype html><title>A page</title>\n')
  writeFileSync(join(folder, largePath), Buffer.alloc(largeBytes, 'large '))
  return { folder, remove: () => rmSync(folder, { recursive: true, force: true }) }
}
