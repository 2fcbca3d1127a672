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

/** How a match slows down for who does not keep up. */
export interface LagProtectionOptions {
  /** For loaded machines: of the `median` player, or of the slowest, `maximum`. `off` by default. */
  readonly mode?: MatchConfig['lagMode']
  /**
   * For late inputs, in a match that waits for them (`missing: { kind: 'wait', … }`): whether all its
   * ticks become up to a tenth longer, so that none or fewer of them have to wait. Not by default.
   */
  readonly stretch?: boolean
}

/** Which orders a match allows. Classes are those that the game's orders name. */
export interface OrderOptions {
  /**
   * Which orders run in a pause; the others wait for its end. `declared`: those that say `whenPaused`,
   * the default. `nothing`, `everything`, or the orders of these classes and no others.
   */
  readonly whenPaused?: Exclude<MatchConfig['orders']['whenPaused'], 'classes'> | readonly string[]
  /** Classes that are not allowed at all: their orders are refused with `forbidden`. */
  readonly forbid?: readonly string[]
}

/**
 * What a client wants of a relay. Whatever describes the match counts only if this client is the first
 * to ask for it: who comes later takes the match as it is.
 */
export interface ClientOptions<G extends GameShape> extends RunningOptions {
  readonly match: string
  readonly name: string
  /**
   * `spectator` only watches. `witness` is for programs: it runs the game, reports hashes and gives its
   * state to newcomers, where the relay lets it (`samestep witness`). `player` when left out.
   */
  readonly role?: Role
  /** Options that fit a kind of game; what is given beside it counts before it. */
  readonly preset?: Preset
  /** Seats of the match. By default the game's minimum; online two at least, if the game allows it. */
  readonly seats?: number
  readonly options?: Partial<GameOptions<G>>
  /**
   * The files that this match depends on besides those of the game's definition, such as its map, with
   * the SHA-256 of each as {@link hashContent} gives it. They must be the same for everybody: whose
   * files differ is refused with their names.
   */
  readonly content?: ContentManifest
  /**
   * Ticks between making an input and executing it: a number, or a range within which the relay
   * follows the players' lines. By default from 2 ticks up to 550 ms, which is enough for players who
   * are 250 ms away; 1 tick at the least; nothing for games without inputs.
   */
  readonly inputDelay?: number | { readonly min: number; readonly max: number }
  readonly missing?: MissingPolicy
  /** Whether the match slows down for who does not keep up. */
  readonly lagProtection?: LagProtectionOptions['mode'] | LagProtectionOptions
  /**
   * Whether ticks may wait for each other when a client's link is too narrow for a packet each:
   * `adaptive` puts up to four into one while a queue stands in front of the link, and only then.
   * `never` by default: each tick goes out at once.
   */
  readonly batching?: MatchConfig['batching']
  /** How the match begins; by default as soon as its seats are taken. */
  readonly lobby?: Partial<LobbyConfig>
  /** Who may pause and change the speed. */
  readonly pace?: Partial<PaceConfig>
  /** Which orders the match allows, by the classes of the game's orders. */
  readonly orders?: OrderOptions
  /**
   * Whose word decides where players disagree about the state of the match: `nobody` when left out, or
   * that of a `witness`. Of two players neither has a majority.
   */
  readonly referee?: MatchConfig['referee']
  /**
   * What follows when machines have different states, besides the event `desync`. `warn`: nothing, the
   * default. `halt`: the match stops for everybody until its owner, a vote or whoever runs the relay
   * resumes it. `resync`: those who differ from the majority take its state over, and play on.
   */
  readonly desync?: MatchConfig['desync']
  /**
   * Whether the game says itself when it has loaded, by `reportLoad(100)`. Otherwise it has as soon
   * as its simulation is set up.
   */
  readonly loadsItself?: boolean
  /**
   * 16 random bytes that nobody can guess. By them the client finds its seat again even when the
   * answer to its first join was lost; without them it would ask for a second seat.
   */
  readonly ticket?: Uint8Array
  /**
   * 32 random bytes that nobody can guess. With them the client proves that a session is its own when it
   * comes back; without them a lost link is the end of the session.
   */
  readonly secret?: Uint8Array
  /**
   * What this relay wants to see before it lets anybody in, such as a signed token: see
   * `docs/operating.md`. At most 2048 bytes.
   */
  readonly token?: string
  /**
   * Which build of the game this is, for those who run the relay: it is logged with joins and desyncs.
   * Nothing depends on it, and other players are not told. Its first 64 bytes count.
   */
  readonly build?: string
  /** What runs the game, for the same log; `joinMatch` says the browser or Node with its version. */
  readonly engine?: string
  /**
   * How long to wait before asking for a new link, doubled up to ten times that: a seat is kept for a
   * minute.
   */
  readonly retryMs?: number
  /**
   * Better doors of a relay that whoever drives this client can dial, best first; where the relay has one
   * of them, the session moves there. None when left out.
   */
  readonly doors?: readonly DoorKind[]
  /**
   * 32 random bits. With them each of these waits is drawn from half to one and a half times as long, so
   * that the clients of a relay that was restarted do not all come back at once. `joinMatch` draws them.
   */
  readonly retrySeed?: number
}
