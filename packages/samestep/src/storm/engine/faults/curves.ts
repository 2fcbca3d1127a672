/** Applies the link curves of a plan: to links that are made, and to those that there are. */

import type { Conditions } from '../network/conditions.ts'
import type { NodeId } from '../node-id.ts'
import type { LinkCurve } from '../plan.ts'
import type { World } from '../world.ts'

/** What links from one node to another are like at a time; `undefined` if the plan says nothing. */
export function conditionsAt(
  curves: readonly LinkCurve[],
  from: string,
  to: string,
  atMs: number,
): Conditions | undefined {
  const curve = curves.find((each) => each.from === from && each.to === to)
  if (curve === undefined) return undefined
  let found = curve.points[0]?.conditions
  for (const point of curve.points) if (point.atMs <= atMs) found = point.conditions
  return found
}

/** Changes the conditions of all links that exist at the time of each point. */
export function scheduleCurves(world: World, curves: readonly LinkCurve[]): void {
  for (const { from, to, points } of curves) {
    for (const { atMs, conditions } of points) {
      // The first point is what links are made with; changing nothing would cost an event.
      if (atMs > 0) world.at(atMs, () => changeLinks(world, from, to, conditions))
    }
  }
}

function changeLinks(world: World, from: string, to: string, conditions: Conditions): void {
  const source = world.nodeNamed(from)
  const target = world.nodeNamed(to)
  if (source === undefined || target === undefined) return
  for (const link of linksBetween(world, source, target)) {
    world.setConditions(link, { ...conditions, kind: link.kind })
  }
}

function linksBetween(world: World, source: NodeId, target: NodeId) {
  return world
    .endsOf(source)
    .filter((end) => end.side === 0 && end.peer === target)
    .map((end) => end.link)
}
