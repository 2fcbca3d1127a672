/** What a setting is, and the kinds of values that several of them have. */
import * as v from 'valibot'
import { UsageError } from '../../base/errors.ts'
import { isKeyItself } from '../../transport/node/secret-text.ts'

/** One setting. */
export interface Setting {
  /** Its name in the config file and in `startRelay`; a dot goes into an object. */
  readonly key: string
  /** On the command line, with its value. */
  readonly flag: string
  readonly env: string
  /** What it does, for the help. */
  readonly what: string
  /** What a value may be; ends the sentence "it must be …". */
  readonly allowed: string
  /** What holds when nobody says anything, for people. */
  readonly initial: string
  readonly schema: v.GenericSchema
  /** Its value is never shown, not even when it is wrong. */
  readonly isSecret?: boolean
  /** The value that a text of the command line or of the environment stands for. */
  readonly fromText: (text: string) => unknown
}

/** A whole number. */
export const whole = (min: number, max: number) =>
  v.pipe(v.number(), v.integer(), v.minValue(min), v.maxValue(max))
/** Any text but none. */
export const text = v.pipe(v.string(), v.minLength(1))
/** A key that is given where the path of one belongs would be told, or made the name of a file. */
export const path = v.pipe(
  text,
  v.check((value) => !isKeyItself(value)),
)
/** A port, or 0 for any that is free. */
export const port = whole(0, 65_535)

/** A value that something else of ours can tell to be wrong, by throwing. */
export const accepted = <T>(accept: (value: T) => unknown) =>
  v.check<T, string>((value) => {
    try {
      accept(value)
      return true
    } catch (error) {
      if (error instanceof UsageError) return false
      throw error
    }
  }, '')

/** A number, if the text is one. */
export const asNumber = (value: string): unknown => (/^\d+$/.test(value) ? Number(value) : value)
/** What stands between commas. */
export const asList = (value: string): unknown =>
  value.split(',').flatMap((part) => (part.trim() === '' ? [] : [part.trim()]))
/** Words for true and false. */
export const words = new Map<string, unknown>([
  ...(['true', 'yes', '1'] as const).map((word) => [word, true] as const),
  ...(['false', 'no', '0'] as const).map((word) => [word, false] as const),
])

/** A setting that is a whole number and nothing else. */
export function countSetting(
  about: Pick<Setting, 'key' | 'flag' | 'env' | 'what' | 'initial'>,
  min: number,
  max: number,
): Setting {
  const allowed = `a whole number from ${min} to ${max}`
  return { ...about, allowed, schema: whole(min, max), fromText: asNumber }
}

/** A setting that is the path of a file. */
export function fileSetting(
  about: Pick<Setting, 'key' | 'flag' | 'env' | 'what' | 'initial'>,
  allowed = 'the path of a file',
): Setting {
  return { ...about, allowed, schema: path, fromText: (value) => value }
}
