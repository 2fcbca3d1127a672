/** Plays the match of a page with `?worker` in its address: see join.ts. */
import { Conditioner } from 'samestep/transport'
import { serveMatch } from 'samestep/worker'
import { dots } from './game.ts'
import type { LineMessage } from './line.ts'

const conditioner = new Conditioner()
serveMatch(dots, { conditioner })

// The line is here, and the sliders for it are on the page.
addEventListener('message', ({ data }: MessageEvent<Partial<LineMessage>>) => {
  if (data.line === 'set') conditioner.set(...(data.args as Parameters<Conditioner['set']>))
  if (data.line === 'reset') conditioner.reset()
  if (data.line === 'breakConnections') conditioner.breakConnections()
})
