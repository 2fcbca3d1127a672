/** The language of a machine: what it says for whoever does not name one. */
import { realOf } from './host-hooks.ts'
import type { MachineState, Patch } from './machine-state.ts'

const baseLocale = 'en-US'

/**
 * Languages that sort plain letters, or write them large, or write numbers, otherwise than English:
 * `z` before `t`, `aa` behind `z`, `i` that becomes `İ`, `ch` behind `h`, `y` beside `i`. One after
 * the other, so that each has its ticks.
 */
const otherLocales = ['et', 'da', 'tr', 'cs', 'lt', 'sv', 'ar-EG'] as const

function localeOf(machine: MachineState): string {
  if (!machine.isOther('locale')) return baseLocale
  return otherLocales[machine.tick() % otherLocales.length] as string
}

type AnyMethod = (this: unknown, ...values: unknown[]) => unknown

/** Methods that take a language, and where among their arguments they take it. */
const methods: readonly (readonly [string, object, string, number])[] = [
  ['String', String.prototype, 'localeCompare', 1],
  ['String', String.prototype, 'toLocaleLowerCase', 0],
  ['String', String.prototype, 'toLocaleUpperCase', 0],
  ['Number', Number.prototype, 'toLocaleString', 0],
  ['BigInt', BigInt.prototype, 'toLocaleString', 0],
  ['Date', Date.prototype, 'toLocaleString', 0],
  ['Date', Date.prototype, 'toLocaleDateString', 0],
  ['Date', Date.prototype, 'toLocaleTimeString', 0],
]

const formats = [
  ...(['Collator', 'NumberFormat', 'DateTimeFormat', 'PluralRules'] as const),
  ...(['ListFormat', 'RelativeTimeFormat', 'Segmenter'] as const),
]

/** Everything of the standard library that asks for the machine's language. */
export function localePatches(machine: MachineState): Patch[] {
  return [...methodPatches(machine), ...formatPatches(machine)]
}

function methodPatches(machine: MachineState): Patch[] {
  return methods.map(([owner, target, key, at]) => {
    const real = Reflect.get(target, key) as AnyMethod
    const patched = function (this: unknown, ...values: unknown[]): unknown {
      if (values[at] === undefined) {
        machine.note('locale', `${owner}.prototype.${key}`, patched)
        while (values.length <= at) values.push(undefined)
        values[at] = localeOf(machine)
      }
      return real.apply(this, values)
    }
    return { target, key, value: patched }
  })
}

function formatPatches(machine: MachineState): Patch[] {
  return formats.flatMap((key): Patch[] => {
    const Real = realOf(Reflect.get(Intl, key)) as
      | (new (
          ...values: unknown[]
        ) => object)
      | undefined
    if (Real === undefined) return []
    const make = ([locales, options]: readonly unknown[]): object => {
      if (locales === undefined) machine.note('locale', `Intl.${key}`, make)
      const zoned = key === 'DateTimeFormat' ? withZone(machine, options, make) : options
      return new Real(locales ?? localeOf(machine), zoned)
    }
    const patched = new Proxy(Real, {
      construct: (_target, values) => make(values),
      apply: (_target, _self, values) => make(values),
    })
    return [{ target: Intl, key, value: patched, isHooked: true }]
  })
}

/** The zone of a machine under its name; the minutes are those of `machine-clock.ts`. */
const otherZone = 'Asia/Kathmandu'

/** A format of dates that names no zone has the machine's. */
function withZone(
  machine: MachineState,
  options: unknown,
  asked: (values: readonly unknown[]) => object,
): object {
  const given = (options ?? {}) as Intl.DateTimeFormatOptions
  if (given.timeZone !== undefined) return given
  machine.note('zone', 'Intl.DateTimeFormat', asked)
  return { ...given, timeZone: machine.isOther('zone') ? otherZone : 'UTC' }
}
