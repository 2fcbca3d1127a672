import { unreachable } from '../../base/assert.ts'
import { diffStates } from '../../sim/game/copies/state-diff.ts'
import type { CallSiteResolver } from '../../sim/trace/call-site.ts'
import type { Trace } from '../../sim/trace/trace.ts'
import type { ProbeAnswer, ProbeAsk, ProbeKind } from '../../wire/messages/desync-probes.ts'
import {
  probeFieldBytesMax,
  probeLabelBytesMax,
  probeMachineBytesMax,
  probePieceBytes,
  probePlacesMax,
  probeValueBytesMax,
} from '../../wire/messages/desync-probes.ts'
import type { Probe } from '../probe-codec.ts'
import { encodeAnswer } from '../probe-codec.ts'
import type { ProbeAnswerer, ProbeReply } from '../probe-reply.ts'
import { packKept } from '../recent/kept-bytes.ts'
import { packFrom } from '../record-excerpt.ts'
import { cutPiece } from '../state-pieces.ts'
import { tellText } from '../told-text.ts'
import { findBeside } from './beside-state.ts'
import { groupsOf } from './leaf-tree.ts'
import { hashCells, listCells } from './leaf-values.ts'
import type { InvestigatedMatch } from './match-copy.ts'
import { Forgotten } from './match-copy.ts'
import type { Scene } from './scene.ts'
import { examine, reenact } from './scene.ts'
import {
  blockPrefixes,
  entryPrefixes,
  findUnstable,
  tellEntry,
  traceBlock,
  traceBlocks,
} from './traces.ts'

/** What whoever answers should know beside the match. */
export interface InvestigateOptions {
  /** Maps lines of bundled code back to the sources. */
  readonly resolve?: CallSiteResolver
  /** What engine and platform call themselves: for whoever reads the report. */
  readonly machine?: string
}

/** An answer that takes a while: each step of it takes some milliseconds at the most. */
type Finding<K extends ProbeKind> = Generator<undefined, ProbeAnswer<K>>

/**
 * Answers what a relay asks about a desync, from the last seconds of the match. It runs ticks again in
 * copies of the match, a few at a time; the match itself goes on meanwhile and is never touched.
 *
 * All this is needed only when machines differ: it is a module of its own, so that a page can load it then.
 */
export class Investigator implements ProbeAnswerer {
  readonly #match: InvestigatedMatch
  readonly #resolve: CallSiteResolver | undefined
  readonly #machine: string
  #work: { readonly number: number; readonly steps: Generator<undefined, Uint8Array> } | undefined
  #scene: Scene | undefined
  #cells: { readonly key: string; readonly cells: ReturnType<typeof listCells> } | undefined
  /** The bad tick as it was traced, for hashes over blocks. */
  #blocks: Trace | undefined
  /** One block of it, with lines. */
  #block: { readonly index: number; readonly trace: Trace } | undefined
  /** A state of before, for whoever runs the relay. */
  #state: Uint8Array | undefined

  constructor(match: InvestigatedMatch, { resolve, machine = '' }: InvestigateOptions = {}) {
    this.#match = match
    this.#resolve = resolve
    this.#machine = tellText(machine, probeMachineBytesMax)
  }

  /** Whether there is something to {@link work} on. */
  get isBusy(): boolean {
    return this.#work !== undefined
  }

  /** Takes in a question. One that comes while another is being answered takes its place. */
  handleProbe(number: number, probe: Probe): void {
    this.#work = { number, steps: this.#answer(probe) }
  }

  /** Works for a moment. Gives an answer when there is one. */
  work(): ProbeReply | undefined {
    const work = this.#work
    if (work === undefined) return undefined
    const { number, steps } = work
    try {
      const step = steps.next()
      if (step.done !== true) return undefined
      this.#work = undefined
      return { number, outcome: 'answered', answer: step.value }
    } catch (error) {
      // The game's own code runs here, and may do anything: that is no reason to end a match.
      this.#work = undefined
      const outcome = error instanceof Forgotten ? 'forgotten' : 'failed'
      return { number, outcome, answer: new Uint8Array(0) }
    }
  }

  /** Gives up all copies of the match. */
  forget(): void {
    this.#work = undefined
    this.#state = undefined
    this.#forgetScene()
  }

  *#answer(probe: Probe): Generator<undefined, Uint8Array> {
    const { kind, ask } = probe
    switch (kind) {
      case 'chains':
        return encodeAnswer(kind, this.#chains(ask))
      case 'tree':
        return encodeAnswer(kind, { leafCount: this.#leaves(ask.tick).length / 2 })
      case 'nodes':
        return encodeAnswer(kind, { words: groupsOf(this.#leaves(ask.tick), ask) })
      case 'labels':
        return encodeAnswer(kind, this.#labels(ask))
      case 'rerun':
        return encodeAnswer(kind, yield* this.#rerun(ask.tick))
      case 'items':
        return encodeAnswer(kind, hashCells(yield* this.#cellsOf(ask.tick, ask.label), ask))
      case 'cells': {
        const cells = yield* this.#cellsOf(ask.tick, ask.label)
        return encodeAnswer(kind, { cells: cells.slice(ask.first, ask.first + ask.count) })
      }
      case 'trace':
        this.#blocks = traceBlocks(this.#match, this.#sceneOf(ask.tick))
        return encodeAnswer(kind, { entries: this.#blocks.count })
      case 'prefixes':
        return encodeAnswer(kind, { words: blockPrefixes(this.#traced(), ask) })
      case 'block':
        return encodeAnswer(kind, { words: this.#traceBlock(ask.block) })
      case 'entries':
        return encodeAnswer(kind, this.#entries(ask))
      case 'outside':
        return encodeAnswer(kind, yield* this.#outside(ask.tick))
      case 'state':
        return encodeAnswer(kind, this.#keepState(ask.tick))
      case 'piece':
        return encodeAnswer(kind, this.#piece(ask.index))
      case 'bundles': {
        const at = (tick: number) => this.#match.recent.bundles.at(tick)
        const last = Math.min(ask.last, ask.first + ticksPerAnswer)
        return encodeAnswer(kind, { bundles: packFrom(at, ask.first, last, probePieceBytes) })
      }
      default:
        return unreachable(probe)
    }
  }

  #chains({ first, step, count }: ProbeAsk<'chains'>): ProbeAnswer<'chains'> {
    const words = new Uint32Array(2)
    const chains = Array.from({ length: count }, (_, index) => {
      const isKnown = this.#match.recent.chains.wordsAt(first + index * step, words)
      return isKnown ? { lo: words[0] as number, hi: words[1] as number } : undefined
    })
    return { chains }
  }

  #leaves(tick: number): Uint32Array {
    const words = this.#match.recent.leaves.wordsAt(tick)
    if (words === undefined) throw new Forgotten()
    return words
  }

  #labels({ tick, leaves }: ProbeAsk<'labels'>): ProbeAnswer<'labels'> {
    const labels = this.#match.recent.leaves.labelsAt(tick)
    if (labels === undefined) throw new Forgotten()
    return {
      labels: leaves.map((leaf) => tellText(labels[leaf]?.text ?? '', probeLabelBytesMax)),
    }
  }

  *#rerun(tick: number): Finding<'rerun'> {
    this.#forgetScene()
    const scene = yield* reenact(this.#match, tick)
    this.#scene = scene
    const { fromTick, isSame, isStable, actual } = scene
    const actualTick = actual?.simulation.matchTick ?? tick
    return { fromTick, isSame, isStable, actualTick, machine: this.#machine }
  }

  *#cellsOf(tick: number, label: string): Generator<undefined, ReturnType<typeof listCells>> {
    const key = `${tick} ${label}`
    if (this.#cells?.key === key) return this.#cells.cells
    const scene = this.#scene
    if (scene === undefined) throw new Forgotten()
    const cells = listCells(yield* examine(this.#match, scene, tick), label)
    this.#cells = { key, cells }
    return cells
  }

  #traceBlock(index: number): number[] {
    const scene = this.#scene
    if (scene === undefined || index * 256 >= this.#traced().count) throw new Forgotten()
    const trace = traceBlock(this.#match, scene, index, this.#resolve)
    this.#block = { index, trace }
    return entryPrefixes(trace, index)
  }

  #entries({ first, count }: ProbeAsk<'entries'>): ProbeAnswer<'entries'> {
    const entries: ProbeAnswer<'entries'>['entries'] = []
    for (let index = first; index < first + count; index++) {
      const entry = this.#block?.trace.entry(index)
      if (entry === undefined) break
      entries.push(tellEntry(entry))
    }
    return { entries }
  }

  *#outside(tick: number): Finding<'outside'> {
    const scene = this.#sceneOf(tick)
    const { actual, rerun } = scene
    const found = actual === undefined ? [] : diffStates(rerun.simulation, actual.simulation)
    yield
    const show = (value: unknown) => tellText(JSON.stringify(value) ?? '', probeValueBytesMax)
    const places = found.slice(0, probePlacesMax).map(({ part, row, field, mine, theirs }) => ({
      part: tellText(part, probeFieldBytesMax),
      row,
      field: tellText(field, probeFieldBytesMax),
      expected: show(mine),
      found: show(theirs),
    }))
    const unstable = yield* findUnstable(this.#match, scene, this.#resolve, this.#blocks)
    if (unstable !== undefined) return { count: found.length, places, unstable, readsBeside: false }
    const beside = yield* findBeside(this.#match, scene, this.#resolve)
    return {
      count: found.length,
      places,
      unstable: beside?.entry,
      readsBeside: beside !== undefined,
    }
  }

  /** The state is copied at once: the ring goes on while its pieces are asked for. */
  #keepState(tick: number): ProbeAnswer<'state'> {
    const kept = tick > 0 ? this.#match.recent.states.newestUpTo(tick - 1) : undefined
    if (kept === undefined) throw new Forgotten()
    this.#state = packKept(kept)
    return { tick: kept.tick, bytes: this.#state.byteLength }
  }

  #piece(index: number): ProbeAnswer<'piece'> {
    const piece = this.#state && cutPiece(this.#state, index)
    if (piece === undefined) throw new Forgotten()
    return piece
  }

  #sceneOf(tick: number): Scene {
    const scene = this.#scene
    if (scene?.tick !== tick) throw new Forgotten()
    return scene
  }

  #traced(): Trace {
    if (this.#blocks === undefined) throw new Forgotten()
    return this.#blocks
  }

  #forgetScene(): void {
    this.#scene = undefined
    this.#cells = undefined
    this.#blocks = undefined
    this.#block = undefined
  }
}

/** Bundles that one answer can hold at the most: the shortest have a byte, and two for their length. */
const ticksPerAnswer = Math.ceil(probePieceBytes / 3)
