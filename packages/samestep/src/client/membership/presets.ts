import { UsageError } from '../../base/errors.ts'
import type { GameShape } from '../../sim/game/definition/context.ts'
import type { ClientOptions, Preset } from './client-options.ts'

/** The options that a preset may choose. */
type Chosen = Pick<ClientOptions<GameShape>, 'missing' | 'lagProtection' | 'batching' | 'pace'>

/**
 * Sets of options that fit a kind of game. What is given beside a preset counts before it; `pace` is
 * laid over the preset's, field by field.
 *
 * - `rts`: many units, driven by orders. A machine that cannot keep up slows the match down a little
 *   rather than fall out of it, a narrow line may carry several ticks in a packet, and each player may
 *   pause.
 * - `action`: held controls, where a late input must not stop anybody. Whoever is late goes on as
 *   before, nothing slows the match down, and every tick goes out at once. A pause needs a vote.
 * - `turns`: few ticks that all matter. A tick waits up to 2 s for a late input, and ticks become up to
 *   a tenth longer before they wait. Each player may pause.
 */
export const presets = {
  rts: {
    missing: { kind: 'idle', waitMs: 0 },
    lagProtection: 'median',
    batching: 'adaptive',
    pace: { pauseBy: 'player' },
  },
  action: {
    missing: { kind: 'repeat', waitMs: 0 },
    lagProtection: 'off',
    batching: 'never',
    pace: { pauseBy: 'vote' },
  },
  turns: {
    missing: { kind: 'wait', waitMs: 2_000 },
    lagProtection: { stretch: true },
    batching: 'never',
    pace: { pauseBy: 'player' },
  },
} as const satisfies { readonly [K in Preset]: Chosen }

/**
 * The options with what their preset adds to them.
 *
 * @throws UsageError `SS_BAD_ARGUMENT` for a preset that there is not.
 */
export function withPreset<G extends GameShape>(options: ClientOptions<G>): ClientOptions<G> {
  const { preset } = options
  if (preset === undefined) return options
  if (!Object.hasOwn(presets, preset)) {
    throw new UsageError(
      'SS_BAD_ARGUMENT',
      `Cannot use preset '${String(preset)}': the presets are ${Object.keys(presets).join(', ')}`,
    )
  }
  const chosen: Chosen = presets[preset]
  // Ticks stretch only where they wait for inputs: who chooses otherwise did not ask for it.
  const isWaiting = (options.missing ?? chosen.missing)?.kind === 'wait'
  const lag = preset === 'turns' && !isWaiting ? { lagProtection: 'off' as const } : {}
  return { ...chosen, ...lag, ...options, pace: { ...chosen.pace, ...options.pace } }
}
