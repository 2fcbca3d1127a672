import type { ContentManifest } from '../../sim/game/definition/content.ts'
import type { GameOptions, GameShape } from '../../sim/game/definition/context.ts'
import type { Role } from '../../wire/codes.ts'
import type { DoorKind } from '../../wire/messages/doors.ts'
import type {
  LobbyConfig,
  MatchConfig,
  MissingPolicy,
  PaceConfig,
} from '../../wire/messages/match-config.ts'
import type { RunningOptions } from '../run/match-simulation.ts'

/** The name of a set of options that fits a kind of game: see the table in `docs/playing.md`. */
export type Preset = 'rts' | 'action' | 'turns'

/** How a match slows down for players who cannot keep up. */
export interface LagProtectionOptions {
  /** For overloaded machines: follow the `median` player, or the slowest (`maximum`). Defaults to `off`. */
  readonly mode?: MatchConfig['lagMode']
  /**
   * For late inputs, in a match that waits for them (`missing: { kind: 'wait', … }`): whether all ticks
   * become up to a tenth longer, so that fewer of them or none have to wait. Defaults to false.
   */
  readonly stretch?: boolean
}

/** Which orders a match allows, by the classes that the game's orders declare. */
export interface OrderOptions {
  /**
   * Which orders run in a pause; the others are held until it ends. `declared`, the default: those with
   * `whenPaused`. `nothing`, `everything`, or only the orders of the listed classes.
   */
  readonly whenPaused?: Exclude<MatchConfig['orders']['whenPaused'], 'classes'> | readonly string[]
  /** Classes that are not allowed at all. Their orders are refused with `forbidden`. */
  readonly forbid?: readonly string[]
}

/**
 * The options of a client. Those that describe the match count only if this client creates it: later
 * clients take the match as it is.
 */
export interface ClientOptions<G extends GameShape> extends RunningOptions {
  readonly match: string
  readonly name: string
  /**
   * `player` is the default; `spectator` only watches. `witness` is for programs: it runs the game, reports
   * hashes and sends its state to newcomers, if the relay allows it (`samestep witness`).
   */
  readonly role?: Role
  /** Options that fit a kind of game. Options given explicitly override it. */
  readonly preset?: Preset
  /** The number of seats. Defaults to the game's minimum; online, to at least two if the game allows it. */
  readonly seats?: number
  readonly options?: Partial<GameOptions<G>>
  /**
   * The files that this match depends on besides those of the game's definition, such as its map, with the
   * SHA-256 of each as {@link hashContent} returns it. They must be the same for everybody: a client whose
   * files differ is refused, and told their names.
   */
  readonly content?: ContentManifest
  /**
   * Ticks between making an input and executing it: a number, or a range within which the relay adapts to
   * the players' connections. Defaults to a range from 2 ticks to 550 ms, which is enough for players who
   * are 250 ms away. The minimum is 1 tick. Games without inputs have no delay.
   */
  readonly inputDelay?: number | { readonly min: number; readonly max: number }
  readonly missing?: MissingPolicy
  /** Whether the match slows down for players who cannot keep up. */
  readonly lagProtection?: LagProtectionOptions['mode'] | LagProtectionOptions
  /**
   * Whether ticks may share packets when a client's link is too slow for one packet per tick. `adaptive`
   * puts up to four ticks into a packet while packets are queued for the link. `never`, the default, sends
   * each tick at once.
   */
  readonly batching?: MatchConfig['batching']
  /** How the match starts; by default as soon as all seats are taken. */
  readonly lobby?: Partial<LobbyConfig>
  /** Who may pause and change the speed. */
  readonly pace?: Partial<PaceConfig>
  /** Which orders the match allows, by the classes of the game's orders. */
  readonly orders?: OrderOptions
  /**
   * Who decides which state is right when players disagree: `nobody`, the default, or a `witness`. Between
   * two players, neither has a majority.
   */
  readonly referee?: MatchConfig['referee']
  /**
   * What happens on a desync, besides the event `desync`. `warn`, the default: nothing. `halt`: the match
   * stops for everybody until its owner, a vote or the operator of the relay resumes it. `resync`: those
   * who differ from the majority load its state and play on.
   */
  readonly desync?: MatchConfig['desync']
  /**
   * Whether the game reports that it has loaded, with `reportLoad(100)`. Otherwise it counts as loaded as
   * soon as its simulation is set up.
   */
  readonly loadsItself?: boolean
  /**
   * 16 secret random bytes. With them the client gets its seat even if the answer to its first join was
   * lost; without them it would ask for a second seat.
   */
  readonly ticket?: Uint8Array
  /**
   * 32 secret random bytes. With them the client proves that a session is its own when it reconnects;
   * without them a lost link ends the session.
   */
  readonly secret?: Uint8Array
  /**
   * What this relay requires to admit a client, such as a signed token: see `docs/operating.md`. At most
   * 2048 bytes.
   */
  readonly token?: string
  /**
   * The build of the game, for the operator of the relay: it is logged with joins and desyncs. Nothing
   * depends on it, and other players do not see it. Only the first 64 bytes are used.
   */
  readonly build?: string
  /** What runs the game, for the same log. `joinMatch` sets it to the browser or Node, with its version. */
  readonly engine?: string
  /**
   * How long to wait before dialling a new link. It doubles with each attempt, up to ten times the value: a
   * seat is kept for a minute.
   */
  readonly retryMs?: number
  /**
   * Better doors of a relay that the driver of this client can dial, best first. If the relay has one of
   * them, the session moves there. Defaults to none.
   */
  readonly doors?: readonly DoorKind[]
  /**
   * 32 random bits. With them each retry time is drawn from half to one and a half times its length, so
   * that the clients of a restarted relay do not all reconnect at once. `joinMatch` draws them.
   */
  readonly retrySeed?: number
}
