import type { Diagnosis } from './causes/diagnose.ts'
import type { Place } from './causes/first-write.ts'
import { siteText } from './causes/game-site.ts'
import { checkTitles } from './lanes/lane.ts'
import type { Reproduction } from './scripts/reproduction.ts'

/** A check that failed, explained. */
export interface CheckFailure extends Diagnosis {
  /** The first bad tick of the match in which it was found. */
  readonly foundAtTick: number
  /** Further details for people. */
  readonly detail: string
  readonly reproduction: Reproduction
  /** False if playing the script again in this process did not reproduce the failure. */
  readonly isReproduced: boolean
  /** The whole failure as text for people. */
  readonly text: string
}

/** A failure as lines for a person: what, where, why, and what to do. */
export function failureText(failure: Omit<CheckFailure, 'text'>): string {
  const { check, tick, foundAtTick, cause, detail, reproduction, isReproduced } = failure
  const lines = [
    `Failed: ${checkTitles[check]} (${check})`,
    '',
    row('tick', tick === foundAtTick ? `${tick}` : `${tick} (found at tick ${foundAtTick})`),
    failure.system === undefined ? undefined : row('in', failure.system),
    ...placeLines(failure),
    ...lineLines(failure),
    failure.error === undefined ? undefined : row('threw', failure.error),
    ...useLines(failure),
    ...variableLines(failure),
    ...effectLines(failure),
    detail === '' ? undefined : row('seen', detail),
    '',
    row('cause', cause.title),
    row('because', cause.evidence),
    row('do', cause.advice),
    '',
    row(
      'needs',
      `${countText(reproduction.items.length, 'order, input or event')} in ${countText(reproduction.ticks, 'tick')}`,
    ),
    isReproduced ? undefined : row('note', notAgain),
  ]
  return lines.filter((line) => line !== undefined).join('\n')
}

const notAgain =
  'it did not show again when the same match was played once more: something outlives a match'

function lineLines({ site, siteKind }: Omit<CheckFailure, 'text'>): string[] {
  if (site === undefined) return []
  const what = siteKind === 'write' ? ', the first differing write' : ''
  return [row('line', `${lineText(site)}${what}`)]
}

/** Where the variables are declared; more of them tell nothing more. */
const variablesMax = 4

function variableLines({ variables }: Omit<CheckFailure, 'text'>): string[] {
  return variables.slice(0, variablesMax).map(({ name, site }, index) => {
    const at = site === undefined ? '' : `, declared at ${siteText(site)}`
    return row(index === 0 ? 'variable' : '', `${name}${at}`)
  })
}

function row(name: string, text: string): string {
  return `  ${name.padEnd(8)} ${text}`
}

function placeLines({ place, sides }: Omit<CheckFailure, 'text'>): string[] {
  if (place === undefined) return []
  const { values } = place
  const lines = [row('where', placeText(place))]
  if (values === undefined) return lines
  const width = Math.max(sides[0].length, sides[1].length)
  for (const index of [0, 1] as const) {
    lines.push(row(index === 0 ? 'values' : '', `${sides[index].padEnd(width)}  ${values[index]}`))
  }
  return lines
}

/** `units.hp, row 3`. */
function placeText({ part, row: number, field }: Place): string {
  const name = field === '' ? part : `${part}.${field}`
  return number === undefined ? name : `${name}, row ${number}`
}

function effectLines({ effect }: Omit<CheckFailure, 'text'>): string[] {
  if (effect === undefined) return []
  const { values, site } = effect
  const shown = values === undefined ? '' : `: ${values[0]} and ${values[1]}`
  const at = site === undefined ? '' : `, written at ${lineText(site)}`
  return [row('then', `${placeText(effect)}${shown}${at}`)]
}

function useLines({ use, site }: Omit<CheckFailure, 'text'>): string[] {
  if (use === undefined) return []
  const isSame =
    use.site === undefined || (site !== undefined && siteText(site) === siteText(use.site))
  const at = isSame || use.site === undefined ? '' : `, at ${lineText(use.site)}`
  const within = use.within === undefined ? '' : `, inside ${siteText(use.within)}`
  return [row('asked', `${use.name}${at}${within}`)]
}

function lineText(site: NonNullable<CheckFailure['site']>): string {
  const { functionName } = site
  return functionName === '' ? siteText(site) : `${siteText(site)} (${functionName})`
}

/** `1 tick`, `2 ticks`. */
export function countText(count: number, what: string): string {
  const [first = '', ...rest] = what.split(' ')
  if (count === 1) return `${count} ${what}`
  return [`${count} ${first.replace(/,?$/, (comma) => `s${comma}`)}`, ...rest.map(plural)].join(' ')
}

function plural(word: string): string {
  return word === 'or' ? word : word.replace(/,?$/, (comma) => `s${comma}`)
}
