/**
 * What a game takes out of the host when its modules load, `const { sin } = Math` or a collator at
 * the top of a file, is out of the reach of a machine that replaces `Math.sin` while a tick runs. So
 * before a game is loaded, each such function is replaced for good by a hook, which asks at every
 * call what is in its place at that moment:
 *
 *     const { sin } = Math      sin is the hook
 *     machine.run(…)            Math.sin is the machine's
 *     sin(1)                    the hook finds the machine's Math.sin, and calls it
 *
 * A command does so, which has the process to itself. Tests of a game that is loaded already do not.
 */
import type { Patch } from './machine-state.ts'

// biome-ignore lint/complexity/noBannedTypes: any function of the host.
type Any = Function

const reals = new WeakMap<object, object>()

/** The host's own function behind a hook; anything else as it is. */
export function realOf<T>(value: T): T {
  if (typeof value !== 'function') return value
  return (reals.get(value) as T | undefined) ?? value
}

/** Puts a hook in the place of every function that the patches would replace. */
export function hookHost(patches: readonly Patch[]): void {
  for (const { target, key, isHooked } of patches) {
    const real: unknown = Reflect.get(target, key)
    if (isHooked !== true || typeof real !== 'function' || reals.has(real)) continue
    const hook = target === Intl ? hookFormat(key, real) : hookFunction(target, key, real)
    reals.set(hook, real)
    Reflect.set(target, key, hook)
  }
  hookNow()
  syncModules()
}

type Syncs = { syncBuiltinESMExports?(): void }
type Process = { getBuiltinModule?(name: string): Syncs | undefined }

/** Names that are imported one by one, `import { cpus } from 'node:os'`, learn of the hooks too. */
function syncModules(): void {
  const { process } = globalThis as { readonly process?: Process }
  process?.getBuiltinModule?.('node:module')?.syncBuiltinESMExports?.()
}

function hookFunction(target: object, key: PropertyKey, real: Any): Any {
  const hook: Any = new Proxy(real, {
    apply: (_, self, values) => Reflect.apply(nowAt(target, key, hook, real), self, values),
    construct: (_, values, newTarget) => {
      const now = nowAt(target, key, hook, real)
      // A class of the game's own that extends the host's keeps being one.
      if (newTarget !== hook) return Reflect.construct(real, values, newTarget)
      return Reflect.construct(now, values)
    },
  })
  return hook
}

function nowAt(target: object, key: PropertyKey, hook: Any, real: Any): Any {
  const now: unknown = Reflect.get(target, key)
  return now === hook || typeof now !== 'function' ? real : now
}

/** `Date.now` belongs to the constructor, which a machine replaces as a whole. */
function hookNow(): void {
  const RealDate = realOf(Date)
  const real = RealDate.now
  if (reals.has(real)) return
  const hook = new Proxy(real, {
    apply: (target, self, values) => {
      const { now } = globalThis.Date
      return Reflect.apply(now === hook ? target : now, self, values)
    },
  })
  reals.set(hook, real)
  RealDate.now = hook
}

type Format = { [name: string]: unknown }
type MakeFormat = new (...values: unknown[]) => Format

/**
 * A formatter or collator that names no language has the one of the machine that uses it, not of the
 * one that made it: all machines have made theirs when the game was loaded.
 */
function hookFormat(key: PropertyKey, real: Any): Any {
  const Real = real as unknown as MakeFormat
  const make = (values: readonly unknown[]): Format => {
    const made = new Real(...values)
    if (values[0] !== undefined) return made
    const current = (): Format => {
      const Now = nowAt(Intl, key, hook, real) as unknown as MakeFormat
      return Now === Real ? made : new Now(...values)
    }
    return new Proxy(made, { get: (_, name) => readFormat(made, String(name), name, current) })
  }
  const hook: Any = new Proxy(real, {
    apply: (_, __, values) => hookedFormat(key, hook, real, values, make),
    construct: (_, values) => hookedFormat(key, hook, real, values, make),
  })
  return hook
}

function hookedFormat(
  key: PropertyKey,
  hook: Any,
  real: Any,
  values: readonly unknown[],
  make: (values: readonly unknown[]) => Format,
): object {
  const now = nowAt(Intl, key, hook, real)
  return now === real ? make(values) : Reflect.construct(now, values)
}

function readFormat(made: Format, name: string, key: PropertyKey, current: () => Format): unknown {
  const value: unknown = Reflect.get(made, key, made)
  if (typeof value !== 'function') return value
  return (...values: unknown[]) => {
    const format = current()
    return Reflect.apply(format[name] as Any, format, values)
  }
}
