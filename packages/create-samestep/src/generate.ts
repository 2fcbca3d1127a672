import type { Answers } from './answers.ts'
import { compilerText, ignoreText, manifestText, pageText, readmeText } from './templates/common.ts'
import { inputGameText, inputMainText, inputTestText } from './templates/inputs.ts'
import { orderGameText, orderMainText, orderTestText } from './templates/orders.ts'

/**
 * Every file of a new game, by its path with slashes. The same answers give the same files: nothing
 * is read, nothing is written.
 */
export function generateFiles(answers: Answers): ReadonlyMap<string, string> {
  const isOrders = answers.template === 'orders'
  return new Map([
    ['package.json', manifestText(answers)],
    ['README.md', readmeText(answers)],
    ['.gitignore', ignoreText()],
    ['tsconfig.json', compilerText()],
    ['index.html', pageText(answers)],
    ['src/game.ts', isOrders ? orderGameText(answers) : inputGameText(answers)],
    ['src/game.test.ts', isOrders ? orderTestText() : inputTestText()],
    ['src/main.ts', isOrders ? orderMainText() : inputMainText()],
  ])
}
