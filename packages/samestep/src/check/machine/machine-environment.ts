/** What else is another thing on another machine: its variables, its name, its processors. */
import type { MachineState, Patch } from './machine-state.ts'

type Values = { readonly [name: string]: unknown }

/** The two machines as a browser, or Node, describes them. */
const baseNavigator = {
  language: 'en-US',
  languages: ['en-US', 'en'],
  hardwareConcurrency: 8,
  deviceMemory: 8,
  maxTouchPoints: 0,
  onLine: true,
  platform: 'Linux x86_64',
  userAgent: 'Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 Chrome/140.0.0.0 Safari/537.36',
  vendor: 'Google Inc.',
}
const otherNavigator = {
  language: 'et',
  languages: ['et', 'tr'],
  hardwareConcurrency: 3,
  deviceMemory: 2,
  maxTouchPoints: 5,
  onLine: false,
  platform: 'iPhone',
  userAgent: 'Mozilla/5.0 (iPhone; CPU iPhone OS 18_0 like Mac OS X) Version/18.0 Safari/604.1',
  vendor: 'Apple Computer, Inc.',
}

/** Environment variables, `navigator`, and what Node tells of its machine. */
export function environmentPatches(machine: MachineState): Patch[] {
  return [navigatorPatch(machine), ...processPatches(machine), ...systemPatches(machine)]
}

/** There is one on every machine of a player, so there is one here, whatever runs the check. */
function navigatorPatch(machine: MachineState): Patch {
  const read = (_: object, key: PropertyKey): unknown => {
    const name = String(key)
    if (Object.hasOwn(baseNavigator, name)) {
      machine.note('environment', `navigator.${name}`, read)
    }
    const values: Values = machine.isOther('environment') ? otherNavigator : baseNavigator
    return values[name]
  }
  const value = new Proxy({}, { get: read, has: (_, key) => Object.hasOwn(baseNavigator, key) })
  return { target: globalThis, key: 'navigator', value, get: () => value }
}

type NodeProcess = {
  readonly env?: { readonly [name: string]: string | undefined }
  readonly getBuiltinModule?: (name: string) => object | undefined
}

function nodeProcess(): NodeProcess {
  return (globalThis as { readonly process?: NodeProcess }).process ?? {}
}

/** Only the game is told something else: the host reads its variables too. */
function processPatches(machine: MachineState): Patch[] {
  const process = nodeProcess()
  const real = process.env
  if (real === undefined) return []
  const read = (_: object, key: PropertyKey): unknown => {
    const value: unknown = Reflect.get(real, key)
    if (typeof key !== 'string' || !machine.isAskedByGame(read)) return value
    machine.note('environment', `process.env.${key}`, read)
    if (!machine.isOther('environment')) return value
    if (key === 'NODE_ENV') return value === 'production' ? 'development' : 'production'
    return value === undefined ? '1' : undefined
  }
  const env = new Proxy(real, { get: read })
  const patches: Patch[] = [{ target: process, key: 'env', value: env, get: () => env }]
  for (const [key, other] of [
    ['platform', 'darwin'],
    ['arch', 'arm'],
    ['pid', 4_711],
  ] as const) {
    const value: unknown = Reflect.get(process, key)
    const get = (): unknown => {
      if (!machine.isAskedByGame(get)) return value
      machine.note('environment', `process.${key}`, get)
      return machine.isOther('environment') ? other : value
    }
    patches.push({ target: process, key, value, get })
  }
  return patches
}

/** `node:os`, where there is one, and what another machine would say. */
const systemAnswers: Values = {
  cpus: [],
  availableParallelism: 3,
  totalmem: 2 ** 31,
  freemem: 2 ** 27,
  hostname: 'elsewhere',
  platform: 'darwin',
  arch: 'arm',
  loadavg: [3, 2, 1],
  homedir: '/Users/elsewhere',
}

function systemPatches(machine: MachineState): Patch[] {
  const os = nodeProcess().getBuiltinModule?.('node:os') as Values | undefined
  if (os === undefined) return []
  return Object.entries(systemAnswers).flatMap(([key, answer]): Patch[] => {
    const real = os[key]
    if (typeof real !== 'function') return []
    const patched = (): unknown => {
      machine.note('environment', `os.${key}`, patched)
      return machine.isOther('environment') ? answer : real()
    }
    return [{ target: os, key, value: patched, isHooked: true }]
  })
}
