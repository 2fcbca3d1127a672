/**
 * Which line of a custom part's `save` or `leaves` to look at. Custom parts are the game's own
 * objects, so nobody sees what writes to them. But the functions that read them can be made to say
 * where they are: fields that throw when they are looked at throw from the line that looks.
 */

import { saveSnapshot } from '../../sim/game/copies/snapshots.ts'
import type { Game } from '../../sim/game/definition/define-game.ts'
import type { Simulation } from '../../sim/game/run/simulation.ts'
import type { CustomDeclaration } from '../../sim/state/custom.ts'
import type { CallSite, CallSiteResolver } from '../../sim/trace/call-site.ts'
import type { Finding } from '../lanes/lane.ts'
import { siteOfError } from './game-site.ts'

class Looked extends Error {
  override readonly name = 'Looked'
}

/** The line of `load` that puts the bytes which it was given into its object. */
export function locateKeeping(
  game: Game,
  { hidden }: Finding,
  resolve?: CallSiteResolver,
): CallSite | undefined {
  const declaration = game.definition.state[hidden[0]?.path ?? '']
  if (declaration?.kind !== 'custom') return undefined
  const { create, save, load } = (declaration as CustomDeclaration<object>).options
  let first: Looked | undefined
  try {
    const bytes = save(create()).slice()
    const watched = new Proxy(create(), {
      set(target, key, value) {
        const isKept = ArrayBuffer.isView(value) && value.buffer === bytes.buffer
        if (isKept) first ??= new Looked(String(key))
        return Reflect.set(target, key, value)
      },
    })
    load(bytes, watched)
  } catch {
    // A load that does not bear to be watched tells nothing.
  }
  return siteOfError(first, resolve)
}

/** The line of `save` or `leaves` that reads the field which a finding is about, or any field. */
export function locateCustom(finding: Finding, resolve?: CallSiteResolver): CallSite | undefined {
  const path = finding.hidden[0]?.path ?? finding.differences[0]?.part ?? ''
  const [name = '', field] = path.split(/[.[]/)
  const simulation = finding.sides?.[1].copy.simulation
  const part = simulation?.parts.part(name)
  if (simulation === undefined || part === undefined || part.kind !== 'custom') return undefined
  const live = part.live
  if (typeof live !== 'object' || live === null) return undefined
  const keys = Object.keys(live)
  const wanted = field !== undefined && keys.includes(field) ? [[field], keys] : [keys]
  for (const some of wanted) {
    const site = siteOfLook(simulation, live, some, resolve)
    if (site !== undefined) return site
  }
  return undefined
}

/** Where the fields are looked at first while the state is hashed and saved. */
function siteOfLook(
  simulation: Simulation,
  live: object,
  keys: readonly string[],
  resolve: CallSiteResolver | undefined,
): CallSite | undefined {
  const before = keys.map((key) => [key, Object.getOwnPropertyDescriptor(live, key)] as const)
  let first: Looked | undefined
  try {
    for (const [key, descriptor] of before) {
      if (descriptor?.configurable !== true) continue
      const { value } = descriptor
      Object.defineProperty(live, key, {
        configurable: true,
        enumerable: true,
        get: () => {
          first ??= new Looked(key)
          return value
        },
      })
    }
    simulation.syncTree()
    saveSnapshot(simulation, { encoding: 'raw' })
  } catch {
    // A function that does not bear to be looked at tells nothing.
  } finally {
    for (const [key, descriptor] of before) {
      if (descriptor?.configurable === true) Object.defineProperty(live, key, descriptor)
    }
  }
  return siteOfError(first, resolve)
}
