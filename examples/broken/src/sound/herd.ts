/** A sound game on bitECS: entities in its world, and numbers of the game's own for their sequence. */
import { addComponent, addEntity, createWorld, query, removeEntity } from 'bitecs'
import { custom, defineGame, order, range, single, u16, u32 } from 'samestep'

const sheepMax = 64

/** A world of sheep. Entity numbers are the library's affair, so each sheep has a number of its own. */
class Herd {
  readonly world = createWorld()
  readonly Sheep = {
    id: [] as number[],
    x: [] as number[],
    y: [] as number[],
    speed: [] as number[],
  }

  /** All sheep, by their numbers: the sequence of a query depends on what came and went before. */
  all(): readonly number[] {
    const { id } = this.Sheep
    return [...query(this.world, [this.Sheep])].sort((a, b) => id[a]! - id[b]!)
  }

  add(id: number, x: number, y: number, speed: number): void {
    const sheep = addEntity(this.world)
    addComponent(this.world, sheep, this.Sheep)
    this.Sheep.id[sheep] = id
    this.Sheep.x[sheep] = x
    this.Sheep.y[sheep] = y
    this.Sheep.speed[sheep] = speed
  }

  save(): Uint8Array {
    const { id, x, y, speed } = this.Sheep
    const numbers = this.all().flatMap((sheep) => [id[sheep]!, x[sheep]!, y[sheep]!, speed[sheep]!])
    return new Uint8Array(Int32Array.from(numbers).buffer)
  }

  static load(bytes: Uint8Array): Herd {
    const numbers = new Int32Array(bytes.slice().buffer)
    const herd = new Herd()
    for (let at = 0; at < numbers.length; at += 4) {
      herd.add(numbers[at]!, numbers[at + 1]!, numbers[at + 2]!, numbers[at + 3]!)
    }
    return herd
  }
}

/** Sheep that graze, and players who add, call and shear them. */
export const herdGame = defineGame({
  id: 'sound-bitecs',
  version: 1,
  seats: { min: 1, max: 4 },
  state: {
    herd: custom({
      create: () => new Herd(),
      save: (herd) => herd.save(),
      load: (bytes) => Herd.load(bytes),
    }),
    farm: single({ nextId: u32, wool: u16 }),
  },
  orders: {
    buy: order({ x: range(0, 999), y: range(0, 999) }, { maxPerTick: 2 }),
    call: order({ x: range(0, 999) }, { maxPerTick: 1 }),
    shear: order({ nearest: range(0, 999) }, { maxPerTick: 1 }),
  },

  step({ state, orders, random }) {
    const { herd, farm } = state
    const { x, y, speed } = herd.Sheep
    for (const order of orders) {
      const all = herd.all()
      if (order.type === 'buy' && all.length < sheepMax) {
        herd.add(farm.nextId, order.data.x, order.data.y, 1 + random.below(3))
        farm.nextId += 1
      } else if (order.type === 'call') {
        const { x: to } = order.data
        for (const sheep of all) x[sheep] = x[sheep]! + Math.sign(to - x[sheep]!) * 5
      } else if (order.type === 'shear' && all.length > 0) {
        removeEntity(herd.world, all[order.data.nearest % all.length]!)
        farm.wool += 1
      }
    }
    for (const sheep of herd.all()) y[sheep] = (y[sheep]! + speed[sheep]!) % 1_000
  },
})
