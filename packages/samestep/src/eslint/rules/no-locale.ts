import { isPlain, replace } from '../edits.ts'
import { type File, makeRule } from '../rule.ts'
import { child, children, isMember, type Node, parentOf, staticName, wrapped } from '../syntax.ts'

/** Methods, of whatever object, whose result depends on the machine's language. */
const instead: ReadonlyMap<string, string> = new Map([
  ['toLocaleString', 'write String(value)'],
  ['toLocaleLowerCase', 'write toLowerCase()'],
  ['toLocaleUpperCase', 'write toUpperCase()'],
  ['toLocaleDateString', 'show dates outside the simulation'],
  ['toLocaleTimeString', 'show times outside the simulation'],
  ['localeCompare', 'compare with < and >, which see the same code units everywhere'],
])

const methods: ReadonlySet<string> = new Set(instead.keys())

const local =
  /^new Date\.(?:get(?:Date|Day|FullYear|Hours|Milliseconds|Minutes|Month|Seconds|TimezoneOffset|Year)|set(?:Date|FullYear|Hours|Milliseconds|Minutes|Month|Seconds|Year)|toString|toDateString|toTimeString)$/

/** Reports what depends on the language, the country or the time zone of the machine. */
export const noLocale = makeRule({
  name: 'no-locale',
  description: 'Keep languages, alphabets and time zones out of the simulation',
  messages: {
    method: '{{name}} depends on the language of this machine; {{instead}}',
    intl: '{{name}} depends on the language and the Unicode tables of this machine; format outside the simulation',
    language:
      '{{name}} is the language of this machine; make it an option of the match, or leave it to the page',
    zone: '{{name}} depends on the time zone of this machine; use the UTC method',
    threeWay: 'Compare code units: {{text}}',
  },
  isFixable: true,
  hasSuggestions: true,
  check: (file) => ({
    Program() {
      for (const { path, node, how, isAlias } of file.uses) {
        if (isAlias) continue
        const data = { name: path.replace(/^new /, '') }
        // Intl.Collator is named by two nodes; the outer one is enough.
        const isIntl = path === 'Intl' ? how === 'read' : /^Intl\.[^.]+$/.test(path)
        if (isIntl) file.report({ node, messageId: 'intl', data })
        else if (/^navigator\.languages?$/.test(path))
          file.report({ node, messageId: 'language', data })
        else if (local.test(path)) file.report({ node, messageId: 'zone', data })
      }
    },
    MemberExpression(node) {
      if (isMember(node, methods)) checkMethod(file, node)
    },
  }),
})

function checkMethod(file: File, node: Node): void {
  const name = staticName(node, 'property') ?? ''
  const call = parentOf(wrapped(node))
  const isCall = call?.type === 'CallExpression' && child(call, 'callee') === node
  const finding = {
    node: child(node, 'property') ?? node,
    messageId: 'method',
    data: { name, instead: instead.get(name) ?? '' },
  }
  const property = child(node, 'property')
  const isCase = name === 'toLocaleLowerCase' || name === 'toLocaleUpperCase'
  if (isCase && isCall && property?.type === 'Identifier' && node.computed !== true) {
    // With an argument it asks for one language's letters; that is for a person to decide.
    const fix = replace(property, name.replace('Locale', ''))
    const hasArguments = children(call, 'arguments').length > 0
    file.report(hasArguments ? finding : { ...finding, fix })
  } else if (name === 'localeCompare' && isCall) {
    file.report({ ...finding, suggest: suggestThreeWay(file, node, call) })
  } else file.report(finding)
}

function suggestThreeWay(file: File, callee: Node, call: Node) {
  const [left, right] = [child(callee, 'object'), children(call, 'arguments')[0]]
  if (!isPlain(left) || !isPlain(right)) return []
  const [a, b] = [file.text(left), file.text(right)]
  const text = `${a} < ${b} ? -1 : ${a} > ${b} ? 1 : 0`
  const isBody = ['ArrowFunctionExpression', 'ReturnStatement'].includes(parentOf(call)?.type ?? '')
  const fix = replace(call, isBody ? text : `(${text})`)
  return [{ messageId: 'threeWay', data: { text }, fix }]
}
