/** Sentences of the compiler for a state that is declared in the wrong way. */
import type { AnyField } from '../../schema/field.ts'
import type { AnyPart, PartDeclarations } from '../../state/part.ts'

/** What is written as `state`, right or wrong: {@link StateHints} tells the two apart. */
export type DeclaredState = { readonly [name: string]: object }

/** The parts of a state that was declared right; of another one, parts that hold anything. */
export type PartsOf<S> = S extends PartDeclarations ? S : { readonly [K in keyof S]: AnyPart }

/**
 * Nothing for what is a part of a state; for anything else, a text that says what to write. The
 * compiler shows the text, because no value has it as its type.
 */
export type StateHints<S> = {
  readonly [K in keyof S]: S[K] extends AnyPart ? unknown : Hint<K & string, S[K]>
}

type Hint<K extends string, V> = V extends AnyField
  ? V['column'] extends undefined
    ? `wrap it: plain(struct({ ${K}: … }))`
    : `wrap it: single({ ${K}: … })`
  : 'write table(…), single(…), queue(…), plain(…) or custom(…)'
