import { replace } from '../edits.ts'
import { makeRule } from '../rule.ts'
import { child } from '../syntax.ts'

/** Reports `for … in`, whose sequence is the history of the object. */
export const noForIn = makeRule({
  name: 'no-for-in',
  description: 'Loop over tables, arrays, Maps and Sets, whose sequence is saved with them',
  messages: {
    forIn:
      'for … in follows the order in which keys were added, numbers first, and inherited ones too; loop over a table, an array or a Map',
    sorted: 'Loop over sorted keys: Object.keys({{object}}).sort()',
  },
  hasSuggestions: true,
  check: (file) => ({
    ForInStatement(node) {
      const [left, right] = [child(node, 'left'), child(node, 'right')]
      if (left === undefined || right === undefined) return
      const object = file.text(right)
      const head = { range: [left.range[1], right.range[1]] } as unknown as typeof right
      const fix = replace(head, ` of Object.keys(${object}).sort()`)
      const suggest = [{ messageId: 'sorted', data: { object }, fix }]
      file.report({ node, messageId: 'forIn', suggest })
    },
  }),
})
