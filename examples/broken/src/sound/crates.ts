/** A sound game on Rapier's deterministic build, whose snapshots hold all that it knows. */
import RAPIER, { type World } from '@dimforge/rapier2d-deterministic-compat'
import { custom, defineGame, order, range, single, u16 } from 'samestep'

await RAPIER.init()

const cratesMax = 12

function makeWorld(): World {
  const world = new RAPIER.World({ x: 0, y: -9.81 })
  world.timestep = 1 / 20
  world.createCollider(RAPIER.ColliderDesc.cuboid(50, 0.5))
  return world
}

/** Crates that fall and are pushed about. */
export const cratesGame = defineGame({
  id: 'sound-rapier',
  version: 1,
  seats: { min: 1, max: 4 },
  state: {
    world: custom({
      create: makeWorld,
      save: (world) => world.takeSnapshot(),
      load(bytes, old) {
        const world = RAPIER.World.restoreSnapshot(bytes)
        old.free()
        return world as World
      },
    }),
    yard: single({ dropped: u16 }),
  },
  orders: {
    drop: order({ x: range(-20, 20) }, { maxPerTick: 1 }),
    push: order({ crate: range(0, cratesMax - 1), force: range(-9, 9) }, { maxPerTick: 2 }),
  },

  step({ state, orders }) {
    const { world, yard } = state
    for (const order of orders) {
      if (order.type === 'drop' && yard.dropped < cratesMax) {
        const place = RAPIER.RigidBodyDesc.dynamic().setTranslation(order.data.x, 12)
        world.createCollider(RAPIER.ColliderDesc.cuboid(0.5, 0.5), world.createRigidBody(place))
        yard.dropped += 1
      } else if (order.type === 'push') {
        let left = order.data.crate
        const { force } = order.data
        world.forEachRigidBody((body) => {
          if (left === 0) body.applyImpulse({ x: force, y: 1 }, true)
          left -= 1
        })
      }
    }
    world.step()
  },
})
