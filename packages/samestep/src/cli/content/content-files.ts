import { createHash } from 'node:crypto'
import { closeSync, openSync, readdirSync, readSync, statSync } from 'node:fs'
import { isAbsolute, join, relative, sep } from 'node:path'
import { UsageError } from '../../base/errors.ts'
import type { ContentManifest } from '../../sim/game/definition/content.ts'
import { checkContent, foldContent } from '../../sim/game/definition/content.ts'

/** How files are listed. */
export interface ContentFlags {
  /** The folder that names are relative to. */
  readonly root: string
  /** Whether each folder that is named becomes one entry. */
  readonly fold: boolean
}

/**
 * The manifest of some files, and of all files in some folders but those that begin with a dot. Names
 * are relative to the root and have slashes, on every system.
 *
 * @throws UsageError for files outside the root, and for more than a manifest holds.
 */
export function contentOfFiles(
  paths: readonly string[],
  { root, fold }: ContentFlags,
): ContentManifest {
  const content: Record<string, string> = {}
  for (const path of paths) {
    const isFolder = statSync(path).isDirectory()
    const files: [string, string][] = (isFolder ? filesIn(path) : [path]).map((file) => [
      nameOf(file, root),
      hashOf(file),
    ])
    if (isFolder && files.length === 0) {
      throw new UsageError('SS_BAD_ARGUMENT', `Cannot list ${path}: it has no files`)
    }
    if (isFolder && fold) {
      content[`${nameOf(path, root)}/`] = foldContent(Object.fromEntries(files))
    } else for (const [name, hash] of files) content[name] = hash
  }
  const names = Object.keys(content).sort()
  const sorted = Object.fromEntries(names.map((name) => [name, content[name] as string]))
  if (names.length > 0) checkContent(sorted)
  return sorted
}

/** All files below a folder. Those that begin with a dot are left by desktops and editors. */
function filesIn(folder: string): string[] {
  return readdirSync(folder)
    .filter((name) => !name.startsWith('.'))
    .flatMap((name) => {
      const path = join(folder, name)
      return statSync(path).isDirectory() ? filesIn(path) : [path]
    })
}

function nameOf(file: string, root: string): string {
  const name = relative(root, file)
  if (name === '' || name.startsWith('..') || isAbsolute(name)) {
    throw new UsageError(
      'SS_BAD_ARGUMENT',
      `Cannot name ${file}: it is not below ${root}; give the folder that names start from as --root`,
    )
  }
  return name.split(sep).join('/').normalize('NFC')
}

const pieceBytes = 65_536

/** Piece by piece: a file may be larger than memory. */
function hashOf(file: string): string {
  const hash = createHash('sha256')
  const descriptor = openSync(file, 'r')
  try {
    const piece = new Uint8Array(pieceBytes)
    for (let length = readSync(descriptor, piece); length > 0; length = readSync(descriptor, piece))
      hash.update(piece.subarray(0, length))
  } finally {
    closeSync(descriptor)
  }
  return hash.digest('hex')
}
