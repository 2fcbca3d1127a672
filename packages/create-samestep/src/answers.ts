/** What a new game can start as. */
export const templates = ['minimal', 'lobby', 'pixi', 'phaser'] as const

/** One of {@link templates}. */
export type Template = (typeof templates)[number]

/** Everything that decides what is written. */
export type Answers = {
  /** Of the package and of the game: lower-case letters, digits and hyphens. */
  readonly name: string
  readonly template: Template
}

/** Samestep takes no longer ids of games. */
const nameLengthMax = 63

const namePattern = /^[a-z0-9][a-z0-9-]*$/

/** Names that npm or Node keep for themselves. */
const takenNames: ReadonlySet<string> = new Set(['node-modules', 'samestep', 'create-samestep'])

/** What is wrong with a name, as a sentence; `undefined` where nothing is. */
export function problemWithName(name: string): string | undefined {
  if (!namePattern.test(name) || name.length > nameLengthMax) {
    return `Cannot name a game '${name}': use up to ${nameLengthMax} lower-case letters, digits and hyphens, such as space-miners`
  }
  if (takenNames.has(name)) return `Cannot name a game '${name}': that name is taken`
  return undefined
}

/** Whether the text names a template. */
export function isTemplate(text: string): text is Template {
  return (templates as readonly string[]).includes(text)
}
