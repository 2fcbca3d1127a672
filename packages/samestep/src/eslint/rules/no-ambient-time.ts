import type { GlobalUse } from '../global-uses.ts'
import { makeRule } from '../rule.ts'
import { children, type Node, parentOf, textOf, wrapped } from '../syntax.ts'

/** Clocks, by the name at which they are reported. */
const clocks =
  /^(?:Date\.now|performance(?:\.[^.]+)?|process\.(?:hrtime(?:\.bigint)?|uptime)|Temporal\.Now\.[^.]+|document\.timeline\.currentTime)$/

/** A text that is the same instant everywhere: a date alone, or a time with its zone. */
const instant =
  /^[+-]?\d{4,6}(?:-\d\d(?:-\d\d(?:T\d\d:\d\d(?::\d\d(?:\.\d+)?)?(?:Z|[+-]\d\d:\d\d))?)?)?$/

/** Reports clocks, and dates that depend on one or on the time zone. */
export const noAmbientTime = makeRule({
  name: 'no-ambient-time',
  description: 'Count ticks; a clock says something else on every machine',
  messages: {
    clock: '{{name}} reads the clock of this machine; count ticks: the context has tick',
    now: '{{name}} is the time of this machine; count ticks: the context has tick',
    zone: '{{name}} depends on the time zone of this machine; use Date.UTC, or count ticks',
    parse:
      '{{name}} reads a date by the rules of this machine; write it as 2030-01-31T12:00:00Z, or count ticks',
  },
  check: (file) => ({
    Program() {
      for (const use of file.uses) {
        const messageId = judge(use)
        const name =
          use.path === 'Date' ? (use.how === 'construct' ? 'new Date' : 'Date') : use.path
        if (messageId !== undefined) file.report({ node: use.node, messageId, data: { name } })
      }
    },
  }),
})

function judge(use: GlobalUse): string | undefined {
  const { path, how, isAlias } = use
  // Of performance.now and process.hrtime.bigint, the last name is reported.
  const isOnTheWay = how === 'member' && /^(?:performance|process\.hrtime)$/.test(path)
  if (clocks.test(path)) return isAlias || isOnTheWay ? undefined : 'clock'
  if (path === 'Date.parse')
    return isAlias || isInstant(argumentsOf(use.node)[0]) ? undefined : 'parse'
  if (path !== 'Date') return undefined
  // Called without new it ignores its arguments and says what time it is.
  if (how === 'call') return 'now'
  return how === 'construct' ? judgeDate(argumentsOf(use.node)) : undefined
}

function argumentsOf(callee: Node): Node[] {
  return children(parentOf(wrapped(callee)), 'arguments')
}

function judgeDate([first, second]: Node[]): string | undefined {
  if (first === undefined) return 'now'
  if (first.type === 'SpreadElement' || second !== undefined) return 'zone'
  return textOf(first) === undefined || isInstant(first) ? undefined : 'parse'
}

function isInstant(node: Node | undefined): boolean {
  const text = textOf(node)
  return text !== undefined && instant.test(text)
}
