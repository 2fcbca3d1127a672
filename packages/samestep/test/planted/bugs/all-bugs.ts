import { clientBugs } from './client.ts'
import { desyncBugs } from './desync.ts'
import type { PlantedBug } from './planted-bug.ts'
import { recordBugs } from './record.ts'
import { roomBugs } from './room.ts'
import { sealingBugs } from './sealing.ts'
import { sessionBugs } from './sessions.ts'
import { wireBugs } from './wire.ts'

/** Every planted bug. A new part of the engine brings its own. */
export const plantedBugs: readonly PlantedBug[] = [
  ...sealingBugs,
  ...sessionBugs,
  ...roomBugs,
  ...recordBugs,
  ...clientBugs,
  ...wireBugs,
  ...desyncBugs,
]
