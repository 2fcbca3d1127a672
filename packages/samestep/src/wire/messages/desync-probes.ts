import { assert } from '../../base/assert.ts'
import { seatsMax } from '../../sim/limits.ts'
import type { StructField } from '../../sim/schema/index.ts'
import {
  bool,
  bytes,
  list,
  oneOf,
  optional,
  range,
  seat,
  struct,
  text,
  u16,
  u32,
} from '../../sim/schema/index.ts'

/**
 * What a relay asks a client to find out where two machines went apart, and what is answered. Both go in
 * `RelayProbe` and `ClientProbe` as bytes, because each kind of question has its own fields.
 *
 *     chains    after which tick do chains differ         the first bad tick
 *     tree      how many leaves had your state            which leaf, by descent
 *     nodes     hashes of nodes of its tree
 *     labels    names of leaves
 *     rerun     run the ticks again, up to the bad one    whether it happens again
 *     items     hashes over values of a leaf              which value, by descent
 *     cells     values of a leaf
 *     trace     run the bad tick with tracing on          which write, by descent
 *     prefixes  hashes over the first blocks of writes
 *     block     hashes over each write of a block
 *     entries   writes, with their lines
 *     outside   what the re-run does not explain
 *     state     how large is your last state before it    so that anybody can run it again, for the
 *     piece     a piece of it                              report of whoever runs the relay alone
 *     bundles   what was sealed from a tick on             which the relay may have let go of
 */

/** Chains that one question asks for. */
export const probeChainsMax = 32

/** Nodes of a group: a round of a descent goes four levels down. */
export const probeFanout = 16

/** Groups of nodes that one question asks for. */
export const probeGroupsMax = 16

/** Values of a leaf that are told one by one. */
export const probeCellsMax = 32

/** Writes that are told one by one. */
export const probeEntriesMax = 8

/** Places that differ from a re-run that are told one by one. */
export const probePlacesMax = 16

/** Bytes of a leaf's label: names of a part and a column. Longer ones cannot be asked for. */
export const probeLabelBytesMax = 255

/** Bytes of a name of a field, with its path inside a plain value. */
export const probeFieldBytesMax = 128

/** Bytes of a value as JSON. Longer ones are cut: a report shows that they differ, not all of them. */
export const probeValueBytesMax = 200

/** Bytes of what an engine and its platform call themselves. */
export const probeMachineBytesMax = 160

/** Bytes of the path of a source file; of a longer one the end is kept. */
export const probeFileBytesMax = 200

/** Bytes of a piece of a state, before it is compressed. */
export const probePieceBytes = 16_384

/** Pieces of the largest state that is asked for: 4 MiB. */
export const probePiecesMax = 256

/** Groups of which a report tells: those that are compared with the first, and that one. */
export const probeSidesMax = 4

/** A value, where it is, and what it is on the side that tells it. */
const cell = struct({
  row: optional(u32),
  field: text(probeFieldBytesMax),
  value: text(probeValueBytesMax),
})

/** The line of game code that made a write. */
export const siteFields = struct({
  functionName: text(64),
  file: text(probeFileBytesMax),
  line: u32,
  column: u32,
})

/** A write to the state, or a draw, and the line that made it. */
export const traceEntryFields = struct({
  kind: text(16),
  /** The function of the game that ran: `step`, `apply` and so on, and which one of them. */
  where: text(16),
  name: text(64),
  part: text(probeFieldBytesMax),
  row: optional(u32),
  field: text(probeFieldBytesMax),
  before: text(probeValueBytesMax),
  after: text(probeValueBytesMax),
  site: optional(siteFields),
})

/** A place that is not as running the ticks again makes it. */
export const changedPlaceFields = struct({
  part: text(probeFieldBytesMax),
  row: optional(u32),
  field: text(probeFieldBytesMax),
  /** What running the ticks again gives, and what was there. */
  expected: text(probeValueBytesMax),
  found: text(probeValueBytesMax),
})

/** A piece of a state: {@link probePieceBytes} of it, the last one less, compressed where that helps. */
export const statePiece = struct({ isDeflated: bool, content: bytes(probePieceBytes) })

const words = (hashes: number) => list(u32, 2 * hashes)

/** What is asked and answered, by the kind of the question. Hashes are two words each, low word first. */
export const probeKinds = {
  chains: {
    /** After the ticks `first`, `first + step` and so on. */
    ask: struct({ first: u32, step: u32, count: range(1, probeChainsMax) }),
    answer: struct({ chains: list(optional(struct({ lo: u32, hi: u32 })), probeChainsMax) }),
  },
  tree: {
    ask: struct({ tick: u32 }),
    answer: struct({ leafCount: u32 }),
  },
  nodes: {
    /** Of group g, the nodes 16 g to 16 g + 15 of a level, as many as there are. */
    ask: struct({ tick: u32, level: range(0, 31), groups: list(u32, probeGroupsMax) }),
    answer: struct({ words: words(probeGroupsMax * probeFanout) }),
  },
  labels: {
    ask: struct({ tick: u32, leaves: list(u32, probeGroupsMax) }),
    answer: struct({ labels: list(text(probeLabelBytesMax), probeGroupsMax) }),
  },
  rerun: {
    ask: struct({ tick: u32 }),
    answer: struct({
      /** The tick of the state from which it was run. */
      fromTick: u32,
      /** Whether that gives what this client had after the tick. */
      isSame: bool,
      /** Whether running it twice gives the same. */
      isStable: bool,
      /** The tick after which this client has a state that shows what it really had. */
      actualTick: u32,
      /** Engine and platform, as they name themselves; empty where nobody knows. */
      machine: text(probeMachineBytesMax),
    }),
  },
  items: {
    /** Hashes over the values `first` to `first + step - 1` of a leaf, and so on. */
    ask: struct({
      tick: u32,
      label: text(probeLabelBytesMax),
      first: u32,
      step: u32,
      count: range(1, probeFanout),
    }),
    answer: struct({ itemCount: u32, words: words(probeFanout) }),
  },
  cells: {
    ask: struct({
      tick: u32,
      label: text(probeLabelBytesMax),
      first: u32,
      count: range(1, probeCellsMax),
    }),
    answer: struct({ cells: list(cell, probeCellsMax) }),
  },
  trace: {
    ask: struct({ tick: u32 }),
    answer: struct({ entries: u32 }),
  },
  prefixes: {
    /** Hashes over the first `first`, `first + step` … blocks of 256 entries. */
    ask: struct({ first: u32, step: u32, count: range(1, probeFanout) }),
    answer: struct({ words: words(probeFanout) }),
  },
  block: {
    ask: struct({ block: u32 }),
    /** After each entry of the block, the hash over all entries so far. */
    answer: struct({ words: words(256) }),
  },
  entries: {
    ask: struct({ first: u32, count: range(1, probeEntriesMax) }),
    answer: struct({ entries: list(traceEntryFields, probeEntriesMax) }),
  },
  outside: {
    ask: struct({ tick: u32 }),
    answer: struct({
      /** How many places differ, and the first of them. */
      count: u32,
      places: list(changedPlaceFields, probePlacesMax),
      /**
       * Where running the tick twice does not give the same, the first write that differs; where it
       * depends on the clock or on chance, the call of that; where it reads what is beside the state, the
       * first write that a save and a load before the tick change.
       */
      unstable: optional(traceEntryFields),
      /**
       * Whether the ticks read something that no saved state has: they give the same each time, and
       * something else without loading a state in between.
       */
      readsBeside: bool,
    }),
  },
  state: {
    /** The newest state that is kept from before this tick. */
    ask: struct({ tick: u32 }),
    /** After which tick it is, and its bytes, as `packKept` writes them. */
    answer: struct({ tick: u32, bytes: u32 }),
  },
  piece: {
    ask: struct({ index: range(0, probePiecesMax - 1) }),
    answer: statePiece,
  },
  bundles: {
    ask: struct({ first: u32, last: u32 }),
    /** As many of them as fit, each with its length before it; none where the first is not kept. */
    answer: struct({ bundles: bytes(probePieceBytes) }),
  },
} as const

/** A kind of question. */
export type ProbeKind = keyof typeof probeKinds

/** All kinds, in the sequence of their numbers. */
export const probeKindWords = Object.keys(probeKinds) as [ProbeKind, ...ProbeKind[]]

type BodyOf<F> = F extends StructField<infer T> ? T : never

/** What a question of a kind asks. */
export type ProbeAsk<K extends ProbeKind> = BodyOf<(typeof probeKinds)[K]['ask']>

/** What an answer of a kind says. */
export type ProbeAnswer<K extends ProbeKind> = BodyOf<(typeof probeKinds)[K]['answer']>

/** A write as it is told. */
export type ProbeEntry = BodyOf<typeof traceEntryFields>

/** Bytes of the largest question, and of the largest answer. */
export const probeAskBytesMax = 512
export const probeAnswerBytesMax = 24_576

for (const { ask, answer } of Object.values(probeKinds)) {
  assert(ask.bitsMax <= 8 * probeAskBytesMax, 'A question fits its message')
  assert(answer.bitsMax <= 8 * probeAnswerBytesMax, 'An answer fits its message')
}

/** Bytes that one client is asked for in one diagnosis, its state apart (T-52). */
export const probeBytesPerClientMax = 65_536

/** Bytes of a state, as its pieces come, that are taken for a report. */
export const probeStateBytesMax = 524_288

/** Why a question has no answer: the client does not remember it, or could not find it out. */
export const probeOutcomes = ['answered', 'forgotten', 'failed'] as const

/** What a group has somewhere. */
export const findingValue = struct({
  seats: list(seat, seatsMax),
  value: text(probeValueBytesMax),
})

/** Where states differ. */
export const findingPlace = struct({
  part: text(probeFieldBytesMax),
  row: optional(u32),
  field: text(probeFieldBytesMax),
  /** After which tick the values are, and whose; none where values are not for everybody. */
  tick: u32,
  values: list(findingValue, probeGroupsMax),
  /** How many leaves of the state differ, at the least. */
  leafCount: u16,
})

/** A write that machines did not make alike, on one side. */
export const findingWrite = struct({
  seats: list(seat, seatsMax),
  kind: text(16),
  system: text(80),
  part: text(probeFieldBytesMax),
  row: optional(u32),
  field: text(probeFieldBytesMax),
  /** Empty where values are not for everybody. */
  value: text(probeValueBytesMax),
  site: optional(siteFields),
})

/** What speaks for which cause. */
export const findingCause = struct({ id: text(32), text: text(400), advice: text(400) })

/** What was found out about a desync. */
const findingParts = {
  stage: oneOf(['located', 'traced']),
  /** The first bad tick, and whether it is certain. */
  tick: u32,
  isExact: bool,
  place: optional(findingPlace),
  writes: list(findingWrite, 2),
  cause: optional(findingCause),
}

/** The same, as it stands in a file about one desync. */
export const findingFields = struct(findingParts)

/** The same, as it is told in a match in which a second desync may have been told by then. */
export const toldFindingFields = struct({
  /** The tick with which `RelayDesync` told the desync. */
  toldTick: u32,
  ...findingParts,
})
