import { InvalidArgumentError } from 'commander'

/** Reads a whole number from 0 off the command line. */
export function whole(text: string): number {
  const value = Number(text)
  if (text.trim() === '' || !Number.isSafeInteger(value) || value < 0) {
    throw new InvalidArgumentError('It must be a whole number from 0.')
  }
  return value
}
