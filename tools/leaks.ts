/**
 * Finds what a repository should not tell its readers: folders of the machine where a line was
 * written, and addresses from which one machine happened to download.
 */

/** A line that names a machine, and what is wrong with it, as a sentence. */
export type Leak = { readonly path: string; readonly line: number; readonly message: string }

// Not preceded by a word, so that `docs/home/x/` in prose or an address passes.
const machinePath = /(?<![\w.~*-])(?:\/(?:work|root|home\/[\w-]+|Users\/[\w-]+)\/|[A-Z]:\\Users\\)/
const downloadAddress = /"resolved":\s*"[a-z+]+:/

/** Looks through one file. Lockfiles may name workspaces in `resolved`, never an address. */
export function findLeaks(path: string, text: string): Leak[] {
  const isLockfile = path.endsWith('package-lock.json')
  const leaks: Leak[] = []
  for (const [index, content] of text.split('\n').entries()) {
    const at = { path, line: index + 1 }
    if (machinePath.test(content)) {
      const [folder] = machinePath.exec(content) ?? []
      const message = `${folder} is a folder of one machine: use a path relative to the repository`
      leaks.push({ ...at, message })
    }
    if (isLockfile && downloadAddress.test(content)) {
      const message =
        'the lockfile names a download address: run npm install with omit-lockfile-registry-resolved=true'
      leaks.push({ ...at, message })
    }
  }
  return leaks
}
