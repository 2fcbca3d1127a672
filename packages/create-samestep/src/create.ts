/**
 * The command: reads its arguments, asks for what they leave out, and writes the files.
 *
 * What it needs of the terminal comes in as {@link Terminal}, so that tests can answer.
 */
import { mkdirSync, readdirSync, writeFileSync } from 'node:fs'
import { basename, dirname, join, relative, resolve } from 'node:path'
import { parseArgs } from 'node:util'
import { type Answers, isTemplate, problemWithName, templates } from './answers.ts'
import { generateFiles } from './generate.ts'

/** Where the command runs, and whom it talks to. */
export type Terminal = {
  readonly folder: string
  /** Asks a question; `undefined` where nobody is there to answer. */
  readonly ask: ((question: string) => Promise<string>) | undefined
  print(text: string): void
  complain(text: string): void
}

/** 0: done. 1: the folder cannot be used. 2: the command cannot be understood. */
export type ExitCode = 0 | 1 | 2

const help = `npm create samestep [folder] -- [flags]

Creates a game: its rules, tests, and a page to play it.

  --template minimal   orders on a canvas; starts when two players have joined (the default)
  --template lobby     names, ready, chat, spectators, room link and QR code
  --template pixi      held controls, drawn with PixiJS
  --template phaser    held controls, drawn with Phaser
  --yes, -y            ask nothing; use the defaults
  --json               print one line of JSON for a script; asks nothing
  --help, -h           this text

Exit codes: 0 done, 1 the folder cannot be used, 2 the command is not understood.`

/** Why the command stops: a sentence for its caller, and how it exits. */
class Stop extends Error {
  readonly exitCode: ExitCode

  constructor(exitCode: ExitCode, message: string) {
    super(message)
    this.exitCode = exitCode
  }
}

/** Runs the command with its arguments (without node and the script). Never throws for a caller's mistake. */
export async function runCreate(args: readonly string[], terminal: Terminal): Promise<ExitCode> {
  // Known before anything can go wrong, so that a mistake is told in the form that was asked for.
  const isJson = args.includes('--json')
  try {
    const flags = readFlags(args)
    if (flags.help) {
      terminal.print(help)
      return 0
    }
    const { target, answers } = await settle(flags, terminal)
    const files = generateFiles(answers)
    write(target, files)
    const shown = relative(terminal.folder, target)
    const next = [...(shown === '' ? [] : [`cd ${shown}`]), 'npm install', 'npm run dev']
    terminal.print(
      isJson
        ? JSON.stringify({ folder: target, ...answers, files: [...files.keys()], next })
        : `\n${answers.name} is ready. Now:\n\n${next.map((line) => `  ${line}`).join('\n')}\n`,
    )
    return 0
  } catch (error) {
    if (!(error instanceof Stop)) throw error
    terminal.complain(isJson ? JSON.stringify({ error: error.message }) : error.message)
    return error.exitCode
  }
}

type Flags = {
  readonly folder: string | undefined
  readonly template: string | undefined
  readonly isQuiet: boolean
  readonly help: boolean
}

function readFlags(args: readonly string[]): Flags {
  try {
    const { values, positionals } = parseArgs({
      args: [...args],
      allowPositionals: true,
      options: {
        template: { type: 'string', short: 't' },
        yes: { type: 'boolean', short: 'y', default: false },
        json: { type: 'boolean', default: false },
        help: { type: 'boolean', short: 'h', default: false },
      },
    })
    if (positionals.length > 1) {
      throw new Stop(2, `Cannot start ${positionals.length} games at once: name one folder`)
    }
    const { template, yes, json, help } = values
    return { folder: positionals[0], template, isQuiet: yes || json, help }
  } catch (error) {
    if (error instanceof Stop) throw error
    const [sentence] = String((error as Error).message).split('. ')
    throw new Stop(2, `${sentence}. Try --help`)
  }
}

async function settle(
  flags: Flags,
  terminal: Terminal,
): Promise<{ readonly target: string; readonly answers: Answers }> {
  const { template: given } = flags
  if (given !== undefined && !isTemplate(given)) {
    throw new Stop(
      2,
      `Cannot use the template '${given}': it must be one of ${templates.join(', ')}`,
    )
  }
  const ask = flags.isQuiet ? undefined : terminal.ask
  if (ask === undefined && !flags.isQuiet && (flags.folder === undefined || given === undefined)) {
    throw new Stop(2, 'Cannot ask: this is no terminal. Name a folder and a template, or say --yes')
  }
  const folder = flags.folder ?? (await askFolder(ask))
  const target = resolve(terminal.folder, folder)
  const name = basename(target)
  const problem = problemWithName(name)
  if (problem !== undefined) throw new Stop(2, problem)
  // Before the second question: nobody likes to answer in vain.
  checkFolder(target)
  return { target, answers: { name, template: given ?? (await askTemplate(ask)) } }
}

const defaultFolder = 'my-game'

async function askFolder(ask: Terminal['ask']): Promise<string> {
  const answer = (await ask?.(`Which folder? (${defaultFolder}) `))?.trim()
  return answer === undefined || answer === '' ? defaultFolder : answer
}

async function askTemplate(ask: Terminal['ask']): Promise<Answers['template']> {
  if (ask === undefined) return 'minimal'
  for (;;) {
    const question = `Which template: ${templates.join(', ')}? (minimal) `
    const answer = (await ask(question)).trim().toLowerCase()
    if (answer === '') return 'minimal'
    const match = templates.find((template) => template.startsWith(answer))
    if (match !== undefined) return match
  }
}

/** A new folder may have been cloned before it is filled. */
const harmless: ReadonlySet<string> = new Set(['.git', '.DS_Store'])

function checkFolder(target: string): void {
  let names: string[]
  try {
    names = readdirSync(target)
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException
    if (code === 'ENOENT') return
    if (code === 'ENOTDIR') throw new Stop(1, `Cannot use ${target}: it is a file, not a folder`)
    throw new Stop(1, `Cannot use ${target}: ${message}`)
  }
  const others = names.filter((name) => !harmless.has(name))
  if (others.length > 0) {
    throw new Stop(1, `Cannot use ${target}: it is not empty (${others.slice(0, 3).join(', ')})`)
  }
}

function write(target: string, files: ReadonlyMap<string, string>): void {
  try {
    for (const [path, text] of files) {
      const file = join(target, ...path.split('/'))
      mkdirSync(dirname(file), { recursive: true })
      // Never over a file that came since the folder was looked at.
      writeFileSync(file, text, { flag: 'wx' })
    }
  } catch (error) {
    throw new Stop(1, `Cannot write into ${target}: ${(error as Error).message}`)
  }
}
