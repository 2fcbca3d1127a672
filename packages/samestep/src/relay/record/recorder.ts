import { RecordWriter } from '../../record/writer.ts'
import type { Match } from '../match/match.ts'
import { MatchNotes } from './match-notes.ts'
import { MatchRecorder } from './match-recorder.ts'

/**
 * Writes down what happens in the matches of a relay, so that another one can go on from it. What the
 * relay gives out is preceded by the record of it: whoever hears of something can rely on its being
 * written.
 *
 *     match works ──► touched ──► pollOutput: what changed, as one group ──► record ──► sends
 *
 * A file begins empty. A match is written into it as a whole when it is first touched, or carried over
 * while nothing happens in it; then only what changes.
 */
export class Recorder {
  readonly #recorders = new Map<Match, MatchRecorder>()
  #writer: RecordWriter | undefined
  #touched: Match[] = []
  #file = 0
  #nowMs = 0

  /** What a match takes notes with. */
  makeNotes(): MatchNotes {
    return new MatchNotes()
  }

  get isOn(): boolean {
    return this.#writer !== undefined
  }

  /** Writes into a new file from now on. `id` is eight bytes that no other file has. */
  start(id: Uint8Array): void {
    this.#writer = new RecordWriter(id)
    this.#file += 1
  }

  /** Writes nothing any more. */
  stop(): void {
    this.#writer = undefined
    for (const { notes } of this.#recorders.keys()) notes?.clear()
    for (const { notes } of this.#touched) if (notes) notes.isTouched = false
    this.#touched = []
  }

  /** Something happened to a match, or may have. */
  touch(match: Match, nowMs: number): void {
    const { notes } = match
    this.#nowMs = nowMs
    if (notes === undefined || notes.isTouched) return
    notes.isTouched = true
    this.#touched.push(match)
  }

  /** Writes up to so many matches that the file does not have yet. Gives how many are left. */
  carry(matches: Iterable<Match>, countMax: number, nowMs: number): number {
    let left = 0
    let count = 0
    for (const match of matches) {
      if (match.notes === undefined || match.notes.file === this.#file) continue
      if (count < countMax) this.touch(match, nowMs)
      else left += 1
      count += 1
    }
    return this.isOn ? left : 0
  }

  /** What is to be written before anything else is done; `undefined` when nothing is. Borrowed. */
  take(): Uint8Array | undefined {
    const touched = this.#touched
    if (touched.length > 0) {
      for (const match of touched) this.#write(match)
      touched.length = 0
    }
    const writer = this.#writer
    return writer === undefined || writer.waitingBytes === 0 ? undefined : writer.take()
  }

  #write(match: Match): void {
    const notes = match.notes as MatchNotes
    notes.isTouched = false
    const writer = this.#writer
    if (writer === undefined) {
      notes.clear()
      return
    }
    if (match.phase === 'ended') {
      this.#end(match, notes, writer)
      return
    }
    if (notes.file === this.#file) this.#writeChanges(match, notes, writer)
    else this.#writeAll(match, notes, writer)
    notes.clear()
  }

  #writeChanges(match: Match, notes: MatchNotes, writer: RecordWriter): void {
    const recorder = this.#recorders.get(match) as MatchRecorder
    if (recorder.isPlain) {
      for (const bundle of notes.bundles) writer.appendBundle(notes.number, bundle)
      return
    }
    writer.appendGroup(notes.number, recorder.changes(this.#nowMs))
  }

  #writeAll(match: Match, notes: MatchNotes, writer: RecordWriter): void {
    const recorder = this.#recorders.get(match) ?? new MatchRecorder(match, notes)
    this.#recorders.set(match, recorder)
    notes.file = this.#file
    notes.number = writer.nextMatch
    writer.appendGroup(notes.number, recorder.everything(this.#nowMs))
  }

  #end(match: Match, notes: MatchNotes, writer: RecordWriter): void {
    this.#recorders.delete(match)
    // One that ended in an older file is not looked for in this one: it would come back from there.
    if (notes.file !== this.#file) this.#writeAll(match, notes, writer)
    else for (const bundle of notes.bundles) writer.appendBundle(notes.number, bundle)
    this.#recorders.delete(match)
    const body = { reason: 'over', lastTick: match.log.sealedTick } as const
    writer.append(notes.number, { name: 'end', body })
    notes.clear()
  }
}
