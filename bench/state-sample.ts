/**
 * The state that the benches measure: 10 000 units × 16 columns of int32 (640 KB), as a strategy game
 * leaves it in the middle of a battle. Synthetic, but with what makes real state hard and easy to
 * compress: positions with noisy fractions, groups that share a heading and a destination, flags that
 * are mostly equal, 30 % free rows scattered by deaths.
 *
 * Seeded: the same bytes in every run, so that figures of two machines can be compared.
 */

/** The columns of the sample, in the sequence in which a table keeps them. */
export const sampleColumnNames = [
  'x',
  'y',
  'vx',
  'vy',
  'heading',
  'hp',
  'owner',
  'kind',
  'flags',
  'cooldown',
  'target',
  'goalX',
  'goalY',
  'energy',
  'experience',
  'bornTick',
] as const

/** The name of one column of the sample. */
export type SampleColumn = (typeof sampleColumnNames)[number]

/** One row as an object: what a game without columns would keep. */
export type SampleRow = { [name in SampleColumn]: number }

/** A table of the sample: one typed array per column. */
export type StateSample = {
  readonly rows: number
  readonly columns: { readonly [name in SampleColumn]: Int32Array }
  /** The bytes of all columns, one after the other. */
  readonly bytes: Uint8Array
}

/** Share of rows that are in use; the others are zero, as a table leaves freed rows. */
const alivePercent = 70
const groupCount = 96
const mapTiles = 512
/** Q16.16: one tile. */
const one = 65_536

/** A small generator of 32-bit numbers (xorshift), so that the sample depends on nothing else. */
class SampleRandom {
  #state: number

  constructor(seed: number) {
    this.#state = seed | 0 || 1
  }

  /** An integer in [0, limit). */
  below(limit: number): number {
    let state = this.#state
    state ^= state << 13
    state ^= state >>> 17
    state ^= state << 5
    this.#state = state
    return Math.floor(((state >>> 0) / 4_294_967_296) * limit)
  }

  /** A bell-shaped integer in (-spread, spread). */
  bell(spread: number): number {
    return this.below(spread) - this.below(spread)
  }

  percent(chance: number): boolean {
    return this.below(100) < chance
  }
}

type Group = ReturnType<typeof makeGroup>

function makeGroup(random: SampleRandom, index: number) {
  const maxSpeed = 4_000 + random.below(10_000)
  return {
    owner: index % 8,
    kind: random.below(24),
    x: random.below(mapTiles * one),
    y: random.below(mapTiles * one),
    vx: random.bell(maxSpeed),
    vy: random.bell(maxSpeed),
    heading: random.below(65_536),
    goalX: random.below(mapTiles) * one,
    goalY: random.below(mapTiles) * one,
    moving: random.percent(60),
    fighting: random.percent(50),
  }
}

function fillRow(row: SampleRow, random: SampleRandom, group: Group, serial: number): void {
  const moving = group.moving && random.percent(85)
  const fighting = group.fighting && random.percent(70)
  const kind = random.percent(60) ? group.kind : random.below(24)
  const hpMax = 400 + kind * 150
  row.x = Math.min(mapTiles * one - 1, Math.max(0, group.x + random.bell(14 * one)))
  row.y = Math.min(mapTiles * one - 1, Math.max(0, group.y + random.bell(14 * one)))
  // Steering and collisions leave every living unit with a noisy velocity, also where it waits.
  row.vx = moving ? group.vx + random.bell(9_000) : random.bell(300)
  row.vy = moving ? group.vy + random.bell(9_000) : random.bell(300)
  row.heading = (group.heading + random.bell(12_000)) & 0xffff
  row.hp = fighting ? 1 + random.below(hpMax) : hpMax
  row.owner = group.owner
  row.kind = kind
  row.flags =
    1 | (moving ? 2 : 0) | (fighting ? 4 : 0) | (random.percent(20) ? 8 << random.below(3) : 0)
  row.cooldown = fighting ? random.below(45) : 0
  // A ref: the row, and above it how often that row was born.
  row.target = fighting ? random.below(10_000) + (1 + random.below(40)) * 16_384 : 0
  // Where a player clicked, spread out to a formation: the fraction is as noisy as a position's.
  row.goalX = moving ? group.goalX + random.bell(6 * one) : row.x
  row.goalY = moving ? group.goalY + random.bell(6 * one) : row.y
  // Q8.8, regenerating by fractions.
  row.energy = random.percent(20) ? 51_200 : random.below(51_200)
  row.experience = random.percent(60) ? random.below(3_000) : 0
  row.bornTick = serial
}

/** Makes the sample. Equal arguments give equal bytes. */
export function makeStateSample(rows = 10_000, seed = 1): StateSample {
  const random = new SampleRandom(seed)
  const buffer = new ArrayBuffer(rows * 4 * sampleColumnNames.length)
  const columns = {} as { [name in SampleColumn]: Int32Array }
  sampleColumnNames.forEach((name, index) => {
    columns[name] = new Int32Array(buffer, index * rows * 4, rows)
  })
  const groups = Array.from({ length: groupCount }, (_, index) => makeGroup(random, index))
  const row = {} as SampleRow
  let serial = 0
  for (let index = 0; index < rows; index++) {
    if (!random.percent(alivePercent)) continue
    // Half of a group was built together and lies together; the rest fills rows that deaths freed.
    const together = random.percent(50)
    const group =
      groups[together ? Math.floor((index * groupCount) / rows) : random.below(groupCount)]
    if (group === undefined) continue
    serial += random.below(4)
    fillRow(row, random, group, together ? serial : random.below(20_000))
    for (const name of sampleColumnNames) columns[name][index] = row[name]
  }
  return { rows, columns, bytes: new Uint8Array(buffer) }
}

/** The same state as an array of objects, freed rows included. */
export function sampleObjects(sample: StateSample): SampleRow[] {
  return Array.from({ length: sample.rows }, (_, index) => {
    const row = {} as SampleRow
    for (const name of sampleColumnNames) row[name] = sample.columns[name][index] ?? 0
    return row
  })
}
