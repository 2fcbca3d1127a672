import type { HostRule } from './host-rules.ts'
import { hostRules } from './host-rules.ts'

/**
 * Puts a trap in the place of every function that a rule names, for as long as a tick runs, and puts
 * everything back afterwards. Traps let calls through unless game code is what runs: the engine itself
 * and its observers are free to read a clock.
 *
 * One for the whole process, because the functions are: simulations that run inside one another share
 * it, and the outermost opens and closes.
 */

// biome-ignore lint/complexity/noBannedTypes: any function of the host.
type Any = Function

/** Told of a call that a rule is about, before it is made. To forbid it, it throws. */
export type Refuse = (name: string, rule: HostRule) => void

/**
 * Told what such a call gave; `above` is the function that game code called. What it returns is what
 * game code gets.
 */
export type TakeResult = (name: string, result: unknown, above: Any) => unknown

type Host = { [name: PropertyKey]: unknown }

/** Who is told while game code runs. */
interface Listener {
  readonly refuse: Refuse
  readonly takeResult: TakeResult | undefined
}

/** One place where a trap goes. */
interface Slot {
  readonly rule: HostRule
  readonly owner: Host
  readonly key: string
  /** What a person calls it: `Math.sin`, `new WebSocket`. */
  readonly name: string
  /** What was there, by its descriptor, and by its value where it is an ordinary property. */
  original: PropertyDescriptor
  trap: PropertyDescriptor
  isOrdinary: boolean
  /** Whether the trap is in place. */
  isSet: boolean
}

/** Replaces what host rules forbid by traps while a tick runs, and puts it back afterwards. */
export class HostTraps {
  readonly #listeners: Listener[] = []
  #slots: Slot[] | undefined
  /** The objects that paths led to, to notice when somebody put others in their place. */
  readonly #owners = new Map<string, Host | undefined>()
  /** What a rule names and the host does not have, yet. */
  #missing: { readonly object: Host; readonly key: string }[] = []
  #opened = 0
  /** Calls of functions that may do anything, such as `console.log`, that are under way. */
  #free = 0

  /** Puts the traps in place. Never throws: a function that cannot be replaced stays as it is. */
  open(): void {
    this.#opened += 1
    if (this.#opened > 1) return
    this.#findSlots()
    for (const slot of this.#slots as Slot[]) setTrap(slot, (changed) => this.#aim(changed))
  }

  /** Takes the traps away; what somebody else has put there meanwhile stays. */
  close(): void {
    this.#opened -= 1
    if (this.#opened > 0) return
    // In the reverse sequence: what was found through a trapped object is put back before it.
    const slots = this.#slots as Slot[]
    for (let index = slots.length - 1; index >= 0; index--) removeTrap(slots[index] as Slot)
  }

  /** Game code runs from here: forbidden calls are told to `refuse`, and then what they gave. */
  enter(refuse: Refuse, takeResult?: TakeResult): void {
    this.#listeners.push({ refuse, takeResult })
  }

  leave(): void {
    this.#listeners.pop()
  }

  /** Finds the places once, and again when an object on the way is another one, or a name is new. */
  #findSlots(): void {
    let isStale = this.#slots === undefined
    for (const [path, owner] of this.#owners) isStale ||= reach(path) !== owner
    for (const { object, key } of this.#missing) isStale ||= key in object
    if (!isStale) return
    const slots: Slot[] = []
    this.#owners.clear()
    this.#missing = []
    for (const rule of hostRules) {
      const object = reach(rule.at)
      this.#owners.set(rule.at, object)
      if (object === undefined) continue
      for (const key of namesOf(rule, object)) {
        const slot = this.#makeSlot(rule, object, key)
        if (slot === undefined) this.#missing.push({ object, key })
        else slots.push(slot)
      }
    }
    this.#slots = slots
  }

  #makeSlot(rule: HostRule, object: Host, key: string): Slot | undefined {
    const owner = ownerOf(object, key)
    const original = owner === undefined ? undefined : descriptorOf(owner, key)
    if (owner === undefined || original === undefined) return undefined
    const name = rule.at === '' ? key : `${rule.at.replace('.__proto__', '')}.${key}`
    const slot: Slot = {
      rule,
      owner,
      key,
      name,
      original,
      trap: original,
      isOrdinary: false,
      isSet: false,
    }
    this.#aim(slot)
    return slot
  }

  /** Makes the trap for what is in the slot now. */
  #aim(slot: Slot): void {
    const { original } = slot
    slot.isOrdinary = original.writable === true
    if (typeof original.value === 'function') {
      slot.trap = { ...original, value: this.#trapFor(slot, original.value) }
    } else if (typeof original.get === 'function') {
      slot.trap = { ...original, get: this.#trapFor(slot, original.get) as () => unknown }
    } else {
      slot.trap = original
    }
  }

  /** A function that behaves as the real one, but for the question that it asks first. */
  #trapFor(slot: Slot, real: Any): Any {
    const { rule } = slot
    // Named so that a trace finds its caller in the stack, in every engine.
    const samestepTracedCall = (target: Any, self: unknown, args: unknown[]): unknown => {
      if (rule.isFree === true) return this.#callFree(target, self, args)
      const name = this.#ask(slot, args, false)
      if (name === undefined) return Reflect.apply(target, self, args)
      return this.#tell(name, () => Reflect.apply(target, self, args), samestepTracedCall)
    }
    const samestepTracedMake = (target: Any, args: unknown[], newTarget: Any): object => {
      const name = this.#ask(slot, args, true)
      const type = newTarget === trap ? target : newTarget
      if (name === undefined) return Reflect.construct(target, args, type)
      const make = () => Reflect.construct(target, args, type)
      return this.#tell(name, make, samestepTracedMake) as object
    }
    const trap: Any = new Proxy(real, { apply: samestepTracedCall, construct: samestepTracedMake })
    return trap
  }

  #callFree(target: Any, self: unknown, args: readonly unknown[]): unknown {
    this.#free += 1
    try {
      return Reflect.apply(target, self, args)
    } finally {
      this.#free -= 1
    }
  }

  /** Asks whether a call may be made. Gives its name where somebody wants to know what it gives. */
  #ask({ rule, name }: Slot, args: readonly unknown[], isConstruct: boolean): string | undefined {
    const listener = this.#listeners.at(-1)
    if (listener === undefined || this.#free > 0) return undefined
    if (rule.allows?.(args, isConstruct) === true) return undefined
    const called = isConstruct ? `new ${name}` : name
    // Making an error may run hooks of the host's, which may do what they like.
    this.#free += 1
    try {
      listener.refuse(called, rule)
    } finally {
      this.#free -= 1
    }
    return listener.takeResult === undefined ? undefined : called
  }

  /** What the host calls for it is no call of the game's. */
  #tell(name: string, call: () => unknown, above: Any): unknown {
    const listener = this.#listeners.at(-1)
    const result = this.#callFree(call, undefined, [])
    return listener?.takeResult === undefined ? result : listener.takeResult(name, result, above)
  }
}

function setTrap(slot: Slot, aim: (slot: Slot) => void): void {
  const { owner, key } = slot
  try {
    // Reading and writing an ordinary property is five times faster than doing it by descriptors.
    if (!slot.isOrdinary || owner[key] !== slot.original.value) {
      const now = descriptorOf(owner, key)
      if (now === undefined || slot.trap === slot.original) return
      if (now.value !== slot.original.value || now.get !== slot.original.get) {
        slot.original = now
        aim(slot)
      }
    }
    if (slot.isOrdinary) owner[key] = slot.trap.value
    else if (!Reflect.defineProperty(owner, key, slot.trap)) return
    slot.isSet = true
  } catch {
    // Frozen, or guarded by somebody else: the linter sees what we cannot.
  }
}

function removeTrap(slot: Slot): void {
  if (!slot.isSet) return
  slot.isSet = false
  const { owner, key, original, trap } = slot
  try {
    if (slot.isOrdinary) {
      if (owner[key] === trap.value) owner[key] = original.value
      return
    }
    const now = descriptorOf(owner, key)
    const isOurs = now?.value === trap.value && now?.get === trap.get
    if (isOurs) Reflect.defineProperty(owner, key, original)
  } catch {
    // Frozen while the tick ran. The trap stays, and lets everything through.
  }
}

/** The object at the end of a path from the global one, if the host has it and lets us have it. */
function reach(path: string): Host | undefined {
  let object: unknown = globalThis
  try {
    for (const key of path === '' ? [] : path.split('.')) object = (object as Host)?.[key]
  } catch {
    return undefined
  }
  const isObject = (typeof object === 'object' && object !== null) || typeof object === 'function'
  return isObject ? (object as Host) : undefined
}

function namesOf(rule: HostRule, object: Host): readonly string[] {
  if (rule.names !== undefined) return rule.names
  try {
    return Object.getOwnPropertyNames(object).filter(
      (name) =>
        name !== 'prototype' &&
        rule.except?.has(name) !== true &&
        typeof descriptorOf(object, name)?.value === 'function',
    )
  } catch {
    return []
  }
}

/** Whoever on the prototype chain has the property. */
function ownerOf(object: Host, key: string): Host | undefined {
  for (let at: Host | null = object; at !== null; at = Object.getPrototypeOf(at)) {
    if (Object.hasOwn(at, key)) return at
  }
  return undefined
}

function descriptorOf(owner: Host, key: string): PropertyDescriptor | undefined {
  return Object.getOwnPropertyDescriptor(owner, key)
}
