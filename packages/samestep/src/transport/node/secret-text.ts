/**
 * Texts that may be secrets, and how they are shown. People put a key where the path of a key belongs,
 * and what a program says about it ends up in logs and in bug reports. So no message repeats a text
 * that looks like one.
 */

/** Characters of a path, at most. Systems allow 4 096; nobody writes so many into a setting. */
const pathCharactersMax = 1_024

/** A key in PEM, or several lines of anything. */
const pem = /-----BEGIN|[\r\n\0]/

/** As many characters of base64url in a row as no word has: 32 bytes are 43 of them, or 64 of hex. */
const longRun = /[\w-]{40,}/

/** The same in base64 with its other letters, as a whole text. */
const base64 = /^[A-Za-z0-9+/]{40,}={0,2}$/

/** A key in hexadecimal or base64url, and nothing else. */
const bareKey = /^(?:[\w-]{43}|[0-9a-fA-F]{64})$/

/** What stands for a text that is not shown. */
export const hiddenText = 'something that may be a secret, which is not shown'

/** Whether a text must not be repeated in a message. Rather too often: a path is found without it. */
export function mayBeSecret(text: string): boolean {
  return (
    pem.test(text) || longRun.test(text) || isMixedBase64(text) || text.length > pathCharactersMax
  )
}

/** Whether a text is a key itself, where the path of a file with one belongs. */
export function isKeyItself(text: string): boolean {
  return (
    pem.test(text) || bareKey.test(text) || isMixedBase64(text) || text.length > pathCharactersMax
  )
}

/** A path as it is, if it may be shown. */
export function showPath(path: string): string {
  return mayBeSecret(path) ? '(a path that is not shown)' : path
}

/** Any text of a program, without what may be secret in it. */
export function hideSecrets(text: string): string {
  return text
    .replace(/-----BEGIN[\s\S]*?(?:-----END[^\n-]*-----|$)/g, '(not shown)')
    .replace(/[\w-]{43,}/g, '(not shown)')
}

/** What the system says went wrong, without the path that Node puts behind it. */
export function systemProblem(cause: unknown): string {
  if (!(cause instanceof Error)) return 'it cannot be used'
  const { syscall } = cause as NodeJS.ErrnoException
  const end = syscall === undefined ? -1 : cause.message.indexOf(`, ${syscall}`)
  return hideSecrets(end < 0 ? cause.message : cause.message.slice(0, end))
}

/** Paths have slashes too, but hardly ever no dot, and letters of both kinds, and digits. */
function isMixedBase64(text: string): boolean {
  return base64.test(text) && /[a-z]/.test(text) && /[A-Z]/.test(text) && /\d/.test(text)
}
