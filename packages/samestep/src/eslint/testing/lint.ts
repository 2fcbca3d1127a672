import { ESLint, type Linter } from 'eslint'
import { configs } from '../plugin.ts'
import { typescriptParser } from './typescript-parser.ts'

/** A project of TypeScript files with the recommended configuration, as our guide sets it up. */
export const project: Linter.Config[] = [
  { files: ['**/*.ts'], languageOptions: { parser: typescriptParser } },
  ...configs.recommended,
]

/** The names of the rules that report something in a text, each as often as it does. */
export async function lintText(
  text: string,
  filePath = 'sim/sample.ts',
  config: Linter.Config[] = project,
): Promise<string[]> {
  const eslint = new ESLint({ overrideConfigFile: true, overrideConfig: config })
  const results = await eslint.lintText(text, { filePath })
  return results.flatMap(({ messages }) => messages.map(toLine))
}

/** The text after `--fix`, and what is left to report. */
export async function fixText(text: string, filePath = 'sim/sample.ts'): Promise<string> {
  const eslint = new ESLint({ overrideConfigFile: true, overrideConfig: project, fix: true })
  const [result] = await eslint.lintText(text, { filePath })
  return result?.output ?? text
}

function toLine({ ruleId, message, fatal }: Linter.LintMessage): string {
  // A text that does not parse has no rule to blame; its message must not pass for a clean one.
  return fatal === true || ruleId === null ? message : ruleId.replace('samestep/', '')
}
