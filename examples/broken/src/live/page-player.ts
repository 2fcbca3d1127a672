/** A player that is a page, which a browser's driver talks to. */
import * as mathSin from '../math-sin.ts'
import * as mathTaken from '../math-taken.ts'
import * as power from '../power.ts'
import { play, type Said, type Task } from './player.ts'
import { sample } from './scenes.ts'

const modules: { readonly [file: string]: object } = {
  'math-sin': mathSin,
  'math-taken': mathTaken,
  power,
}

type Page = {
  say(said: Said): void
  playTask(task: Task): void
  sample(file: string): readonly number[]
}

const page = globalThis as unknown as Page
page.sample = sample
page.playTask = (task) => {
  play(task, modules[task.file] as object, (said) => page.say(said)).catch((error: Error) =>
    page.say({ type: 'failed', match: task.match, message: String(error.stack) }),
  )
}
