#!/usr/bin/env node
import { stdin, stdout } from 'node:process'
import { createInterface } from 'node:readline/promises'
import { runCreate } from './create.ts'

const isTerminal = stdin.isTTY === true && stdout.isTTY === true

process.exitCode = await runCreate(process.argv.slice(2), {
  folder: process.cwd(),
  ask: isTerminal ? ask : undefined,
  print: (text) => console.log(text),
  complain: (text) => console.error(text),
})

async function ask(question: string): Promise<string> {
  const lines = createInterface({ input: stdin, output: stdout })
  try {
    return await lines.question(question)
  } finally {
    lines.close()
  }
}
