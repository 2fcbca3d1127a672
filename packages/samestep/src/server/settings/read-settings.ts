/**
 * Settings from where operators write them: command line over environment over config file. All that
 * is wrong is told at once, each with its place, its value and what is allowed.
 */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import * as v from 'valibot'
import { UsageError } from '../../base/errors.ts'
import {
  hiddenText,
  mayBeSecret,
  showPath,
  systemProblem,
} from '../../transport/node/secret-text.ts'
import { lineOfSyntaxError, linesOfKeys, syntaxProblem } from '../logs/json-lines.ts'
import type { RelayServerOptions } from '../relay-server.ts'
import type { Setting } from './setting-kinds.ts'
import { settings } from './settings.ts'

/** Where settings may come from. */
export interface SettingSources {
  /** Values by key, as the command line spelled them. */
  readonly flags?: Readonly<Record<string, string>>
  readonly env?: Readonly<Record<string, string | undefined>>
  /** The path of a config file. */
  readonly config?: string
}

/** Values by dotted key. */
type Values = Map<string, unknown>

/** Reads all settings. Throws `SS_BAD_ARGUMENT` with one line for each that is wrong. */
export function readSettings(sources: SettingSources): RelayServerOptions {
  const problems: string[] = []
  const values: Values = new Map()
  const config = sources.config ?? sources.env?.SAMESTEP_CONFIG
  if (config !== undefined && config !== '') readFile(config, values, problems)
  for (const setting of settings) {
    const fromEnv = sources.env?.[setting.env]
    // An empty variable is how many a tool says that there is none.
    if (fromEnv !== undefined && fromEnv !== '') {
      take(setting, setting.fromText(fromEnv), fromEnv, setting.env, values, problems)
    }
    const flag = sources.flags?.[setting.key]
    if (flag !== undefined) {
      const name = setting.flag.split(' ')[0]!
      take(setting, setting.fromText(flag), flag, name, values, problems)
    }
  }
  useStateDirectory(sources.env?.STATE_DIRECTORY, values)
  const options = nest(values)
  problems.push(...findContradictions(options))
  if (problems.length > 0) throw new UsageError('SS_BAD_ARGUMENT', problems.join('\n'))
  return options
}

/** A service has a folder for what it keeps, of which systemd tells; where several, the first. */
function useStateDirectory(stateDirectory: string | undefined, values: Values): void {
  const [folder] = (stateDirectory ?? '').split(':')
  if (!folder) return
  if (!values.has('journal')) values.set('journal', join(folder, 'journal'))
  if (!values.has('recoveryKeyFile')) values.set('recoveryKeyFile', join(folder, 'recovery.key'))
}

/**
 * Checks options that a program gave, in the same words, and gives them back with `false` for `'off'`.
 * Throws `SS_BAD_ARGUMENT`.
 */
export function checkOptions(given: RelayServerOptions): RelayServerOptions {
  const problems: string[] = []
  const options: RelayServerOptions = { ...given }
  for (const setting of settings) {
    const { key } = setting
    if (isOff(setting, options[key as never])) Object.assign(options, { [key]: false })
  }
  const { log, authorize, ...rest } = options
  const plain = typeof log === 'object' ? rest : { ...rest, log }
  if (authorize !== undefined && typeof authorize !== 'function') {
    problems.push('Cannot use the option authorize: it must be a function')
  }
  readObject(plain, '', (key) => `the option ${showKey(key)}`, new Map(), problems)
  problems.push(...findContradictions(options))
  if (problems.length > 0) throw new UsageError('SS_BAD_ARGUMENT', problems.join('\n'))
  return options
}

/** Whether a value is the word for `false`, where a setting may be that: files and programs say either. */
function isOff({ schema }: Setting, value: unknown): boolean {
  return value === 'off' && v.safeParse(schema, false).success
}

function readFile(path: string, values: Values, problems: string[]): void {
  const name = showPath(path)
  let json: string
  try {
    json = readFileSync(path, 'utf8')
  } catch (cause) {
    problems.push(`Cannot read the config file ${name}: ${systemProblem(cause)}`)
    return
  }
  let value: unknown
  try {
    value = JSON.parse(json)
  } catch (error) {
    const line = lineOfSyntaxError(json, error)
    const place = line === undefined ? name : `${name}, line ${line}`
    problems.push(`Cannot read ${place}: it is not valid JSON (${syntaxProblem(json, error)})`)
    return
  }
  const lines = linesOfKeys(json)
  const place = (key: string) => {
    const line = lines.get(key)
    const shown = showKey(key)
    return line === undefined ? `${shown} in ${name}` : `${shown} in ${name}, line ${line}`
  }
  if (isObject(value)) readObject(value, '', place, values, problems)
  else problems.push(`Cannot use ${name}: it must be an object such as {"port": 7777}`)
}

/** Takes settings from an object, and goes into those of its objects that hold settings. */
function readObject(
  object: object,
  prefix: string,
  place: (key: string) => string,
  values: Values,
  problems: string[],
): void {
  for (const [name, value] of Object.entries(object)) {
    if (value === undefined || name === '$schema') continue
    const key = `${prefix}${name}`
    const setting = settings.find((one) => one.key === key)
    const isGroup = settings.some((one) => one.key.startsWith(`${key}.`))
    if (setting !== undefined && isGroup && isObject(value)) {
      readMixed(setting, value, place, values, problems)
    } else if (setting !== undefined) {
      take(setting, value, value, place(key), values, problems)
    } else if (isGroup && isObject(value)) {
      readObject(value, `${key}.`, place, values, problems)
    } else if (isGroup) {
      const inner = settings.filter((one) => one.key.startsWith(`${key}.`)).map((one) => one.key)
      problems.push(`Cannot use ${place(key)}: it must be an object with ${inner.join(' and ')}`)
    } else problems.push(unknownSetting(key, place(key)))
  }
}

/** An object that is a setting itself and holds others: `{"port": 7777, "secretKeyFile": "key"}`. */
function readMixed(
  setting: Setting,
  object: object,
  place: (key: string) => string,
  values: Values,
  problems: string[],
): void {
  const { key } = setting
  const isInner = ([name]: [string, unknown]) =>
    settings.some((one) => one.key === `${key}.${name}`)
  const entries = Object.entries(object)
  const own = Object.fromEntries(entries.filter((entry) => !isInner(entry)))
  const inner = Object.fromEntries(entries.filter(isInner))
  readObject(inner, `${key}.`, place, values, problems)
  const hasOwn = Object.keys(own).length > 0 || Object.keys(inner).length === 0
  if (hasOwn) take(setting, own, own, place(key), values, problems)
}

function take(
  setting: Setting,
  value: unknown,
  spelled: unknown,
  place: string,
  values: Values,
  problems: string[],
): void {
  const meant = isOff(setting, value) ? false : value
  if (v.safeParse(setting.schema, meant).success) values.set(setting.key, meant)
  else {
    const shown = setting.isSecret ? 'something else, which is not shown' : show(setting, spelled)
    problems.push(
      `Cannot use ${place}: it is ${shown}; it must be ${setting.allowed} (${setting.what})`,
    )
  }
}

/** What a wrong value looks like: never whole where it may be a secret that stands in a wrong place. */
function show({ key }: Setting, value: unknown): string {
  const json = JSON.stringify(value) ?? String(value)
  const isBesideSecret = settings.some((one) => one.isSecret && one.key.startsWith(`${key}.`))
  if (mayBeSecret(json) || (isBesideSecret && json.length > shortTextMax)) return hiddenText
  const harmless = json.replace(/\/\/[^/]*@/g, '//…@')
  return harmless.length > 60 ? `${harmless.slice(0, 59)}…` : harmless
}

/** Characters of a wrong value that is no key, not even a part of one that somebody would miss. */
const shortTextMax = 20

function showKey(key: string): string {
  return mayBeSecret(key) ? '(a key that is not shown)' : key
}

function unknownSetting(key: string, place: string): string {
  const keys = settings.map((setting) => setting.key)
  const near = keys.find((known) => distance(known.toLowerCase(), key.toLowerCase()) <= 2)
  const hint = near === undefined ? `settings are ${keys.join(', ')}` : `did you mean ${near}?`
  return `Cannot use ${place}: there is no such setting; ${hint}`
}

/** Letters to change, insert or leave out to get from one word to the other. */
function distance(a: string, b: string): number {
  let row = Array.from({ length: b.length + 1 }, (_, index) => index)
  for (const [i, letter] of [...a].entries()) {
    const next = [i + 1]
    for (const [j, other] of [...b].entries()) {
      const change = row[j]! + (letter === other ? 0 : 1)
      next.push(Math.min(change, row[j + 1]! + 1, next[j]! + 1))
    }
    row = next
  }
  return row[b.length]!
}

/** What each value alone cannot know. */
function findContradictions(options: RelayServerOptions): string[] {
  const { tls, workers = 1, udp, webrtc, conditions } = options
  const problems: string[] = []
  if (tls !== undefined && (tls.certificateFile === undefined || tls.keyFile === undefined)) {
    const missing = tls.keyFile === undefined ? 'tls.keyFile' : 'tls.certificateFile'
    problems.push(`Cannot encrypt: ${missing} is missing; a certificate and its key go together`)
  }
  if (udp && udp.secretKey !== undefined && udp.secretKeyFile !== undefined) {
    problems.push(
      'Cannot use udp.secretKey and udp.secretKeyFile: a relay has one key; set only one of them',
    )
  }
  problems.push(...findTokenContradictions(options))
  if (workers === 1) return problems
  if (tls !== undefined) {
    problems.push(
      'Cannot encrypt with several workers: a TLS connection cannot be handed to another process; let a proxy do TLS in front of the relay, or use one worker',
    )
  }
  for (const [name, given] of Object.entries({ udp, webrtc })) {
    if (typeof given === 'object') {
      problems.push(
        `Cannot use ${name} with several workers: its packets do not say which match they are for; turn ${name} off, or use one worker`,
      )
    }
  }
  if (conditions !== undefined && conditions !== '') {
    problems.push('Cannot use conditions with several workers: they are for tests; use one worker')
  }
  return problems
}

function findTokenContradictions({
  tokens,
  authorize,
  createMatches,
}: RelayServerOptions): string[] {
  const problems: string[] = []
  const keys = ['publicKeyFile', 'jwksFile', 'secretFile', 'secret'] as const
  const given = keys.filter((key) => tokens?.[key] !== undefined).map((key) => `tokens.${key}`)
  if (tokens !== undefined && given.length !== 1) {
    const is = given.length === 0 ? 'there is no key' : `${given.join(' and ')} are several keys`
    const names = keys.map((key) => `tokens.${key}`).join(', ')
    problems.push(`Cannot check tokens: ${is}; give one of ${names}`)
  }
  if (tokens !== undefined && authorize !== undefined) {
    problems.push(
      'Cannot use tokens and authorize: both decide who may join; use one of them, or call checkTokens in your authorize',
    )
  }
  if (createMatches === 'token' && tokens === undefined && authorize === undefined) {
    problems.push(
      'Cannot use createMatches token: nothing decides who may create a match; configure tokens or authorize',
    )
  }
  return problems
}

function nest(values: Values): RelayServerOptions {
  const options: Record<string, unknown> = {}
  for (const [key, value] of values) if (!key.includes('.')) options[key] = value
  for (const [key, value] of values) {
    const [outer = '', inner] = key.split('.')
    // What is turned off in one place needs none of what another one says about it.
    if (inner === undefined || options[outer] === false) continue
    options[outer] = { ...(options[outer] as object | undefined), [inner]: value }
  }
  return options as RelayServerOptions
}

function isObject(value: unknown): value is object {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
