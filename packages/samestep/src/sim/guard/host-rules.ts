/**
 * What game code must not call while a tick runs, and what it should call instead. Names are texts
 * here: this file forbids these functions, it does not use them.
 *
 * Two things cannot be seen when a program runs, and are for the linter and `samestep check`: `**`,
 * and functions that were taken out of their object before (`const { sin } = Math` at the top of a
 * file).
 */

/** Calls that a rule is about. */
export interface HostRule {
  /** The object that has them, as a path from the global one; empty for that one itself. */
  readonly at: string
  /** Their names; all functions but `except`, when left out. */
  readonly names?: readonly string[]
  readonly except?: ReadonlySet<string>
  /** Why the result can differ between two machines. */
  readonly why: string
  /** What to write instead. */
  instead(name: string): string
  /** Says that a call is harmless after all. */
  allows?(args: readonly unknown[], isConstruct: boolean): boolean
  /** These may be called, and so may everything that they call. */
  readonly isFree?: boolean
}

/** The functions of `Math` that are defined to the last bit in every engine. */
const exactMath: ReadonlySet<string> = new Set([
  'abs',
  'ceil',
  'clz32',
  'f16round',
  'floor',
  'fround',
  'imul',
  'max',
  'min',
  'round',
  'sign',
  'sqrt',
  'sumPrecise',
  'trunc',
])

/** The functions of `dmath`, under the names that they have in `Math`. */
const ownMath: ReadonlySet<string> = new Set(
  'acos asin atan atan2 cbrt cos cosh exp expm1 hypot log log10 log1p log2 pow sin sinh tan tanh'.split(
    ' ',
  ),
)

const chance = 'it gives a different number on every machine'
const clock = 'every machine has its own clock'
const zone = 'every machine has its own time zone'
const locale = 'language data differs between machines and versions'
const later = 'it continues after the tick, at a different time on every machine'
const outside = 'external data differs between machines'
const ticks = 'use tick, which is the same everywhere'
const within = 'do it within the tick, or spread it over ticks with a queue'
const orders = 'pass it in as an order or an input'

const say = (text: string) => (): string => text

function insteadOfMath(name: string): string {
  if (name === 'random') return 'use random.below(n) or another method of the random in the context'
  return ownMath.has(name)
    ? `use dmath.${name}: import { dmath } from 'samestep'`
    : 'build it from + - * / and Math.sqrt, which are exact'
}

/** A date with its time zone, or a day, which is one in UTC. Everything else is read as local time. */
const zonedDate =
  /^\d{4}(?:-\d\d(?:-\d\d)?)?$|^\d{4}-\d\d-\d\dT\d\d:\d\d(?::\d\d(?:\.\d{1,3})?)?(?:Z|[+-]\d\d:\d\d)$/

function isZonedDate(args: readonly unknown[]): boolean {
  return args.length === 1 && typeof args[0] === 'string' && zonedDate.test(args[0])
}

function isFixedDate(args: readonly unknown[], isConstruct: boolean): boolean {
  if (!isConstruct || args.length !== 1) return false
  return typeof args[0] !== 'string' || isZonedDate(args)
}

const localDateNames = [
  ...'getDate getDay getFullYear getHours getMinutes getMonth getSeconds getYear'.split(' '),
  ...'setDate setFullYear setHours setMinutes setMonth setSeconds setYear'.split(' '),
  ...'getTimezoneOffset toDateString toString toTimeString'.split(' '),
]

const localeDateNames = 'toLocaleDateString toLocaleString toLocaleTimeString'.split(' ')

/** Every rule. An object or a name that a host does not have is passed over. */
export const hostRules: readonly HostRule[] = [
  { at: 'Math', names: ['random'], why: chance, instead: insteadOfMath },
  {
    at: 'Math',
    except: new Set([...exactMath, 'random']),
    why: 'engines round it differently',
    instead: insteadOfMath,
  },
  {
    at: '',
    names: ['Date'],
    why: clock,
    instead: say(`${ticks}; new Date(milliseconds) with the UTC methods is fine`),
    allows: isFixedDate,
  },
  { at: 'Date', names: ['now'], why: clock, instead: say(ticks) },
  {
    at: 'Date',
    names: ['parse'],
    why: zone,
    instead: say("name the zone, as in '2026-01-31T12:00:00Z'"),
    allows: isZonedDate,
  },
  { at: 'Date.prototype', names: localDateNames, why: zone, instead: say('use the UTC method') },
  { at: 'Date.prototype', names: localeDateNames, why: locale, instead: say('use toISOString') },
  { at: 'Temporal.Now', why: clock, instead: say(ticks) },
  { at: 'performance', names: ['now', 'timeOrigin'], why: clock, instead: say(ticks) },
  { at: 'process', names: ['hrtime', 'uptime'], why: clock, instead: say(ticks) },
  {
    at: 'process',
    names: ['cpuUsage', 'memoryUsage'],
    why: 'CPU time and memory differ between machines',
    instead: say('count operations, which are the same everywhere'),
  },
  { at: 'process.hrtime', names: ['bigint'], why: clock, instead: say(ticks) },
  {
    at: '',
    names:
      'setTimeout setInterval setImmediate queueMicrotask requestAnimationFrame requestIdleCallback'.split(
        ' ',
      ),
    why: later,
    instead: say('keep the tick at which it is due in the state, and compare'),
  },
  { at: 'Atomics', names: ['wait', 'waitAsync'], why: later, instead: say(within) },
  { at: '', names: ['Promise'], why: later, instead: say(within) },
  { at: 'Promise', why: later, instead: say(within) },
  { at: 'Promise.prototype', names: ['then'], why: later, instead: say(within) },
  { at: 'Array', names: ['fromAsync'], why: later, instead: say(within) },
  {
    at: 'crypto',
    names: ['getRandomValues', 'randomUUID'],
    why: chance,
    instead: insteadOfMath.bind(undefined, 'random'),
  },
  {
    at: '',
    names:
      'fetch XMLHttpRequest WebSocket EventSource BroadcastChannel MessageChannel Worker SharedWorker'.split(
        ' ',
      ),
    why: outside,
    instead: say(orders),
  },
  {
    at: '',
    names: ['structuredClone'],
    why: 'it copies all the memory behind a view, whose layout differs between machines',
    instead: say('copy what you need with slice()'),
    allows: ([value]) => !ArrayBuffer.isView(value),
  },
  {
    at: '',
    names: ['WeakRef', 'FinalizationRegistry'],
    why: 'memory is collected at different times on each machine',
    instead: say('drop the reference yourself'),
  },
  {
    at: 'WeakRef.prototype',
    names: ['deref'],
    why: 'memory is collected at different times on each machine',
    instead: say('keep the reference'),
  },
  { at: 'Intl', why: locale, instead: say('write your own rule, or do it when drawing') },
  ...Object.entries({
    Collator: 'compare',
    NumberFormat: 'format',
    DateTimeFormat: 'format',
    PluralRules: 'select',
    ListFormat: 'format',
    RelativeTimeFormat: 'format',
    Segmenter: 'segment',
  }).map(([type, name]) => ({
    at: `Intl.${type}.prototype`,
    names: [name],
    why: locale,
    instead: say('write your own rule, or do it when drawing'),
  })),
  {
    at: 'String.prototype',
    names: ['localeCompare'],
    why: locale,
    instead: say('use < and >, which compare code units everywhere'),
  },
  {
    at: 'String.prototype',
    names: ['toLocaleLowerCase', 'toLocaleUpperCase'],
    why: locale,
    instead: (name) => `use ${name.replace('Locale', '')}`,
  },
  ...['Number', 'BigInt', 'Array', 'Uint8Array'].map((type) => ({
    // The method of typed arrays is in the prototype that all of them share.
    at: type === 'Uint8Array' ? 'Uint8Array.prototype.__proto__' : `${type}.prototype`,
    names: ['toLocaleString'],
    why: locale,
    instead: say('use String(value)'),
  })),
  // Printing changes nothing, and needs clocks and streams to do so.
  { at: 'console', why: '', instead: say(''), isFree: true },
]
