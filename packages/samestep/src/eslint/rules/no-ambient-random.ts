import { replace } from '../edits.ts'
import type { GlobalUse } from '../global-uses.ts'
import { type File, makeRule } from '../rule.ts'
import { child, parentOf } from '../syntax.ts'

/** Chance that no seed governs. */
const sources: ReadonlySet<string> = new Set([
  'Math.random',
  ...[
    'getRandomValues',
    'randomUUID',
    'randomBytes',
    'randomInt',
    'randomFill',
    'randomFillSync',
    'pseudoRandomBytes',
    'generateKey',
    'generateKeyPair',
    'generateKeyPairSync',
    'generateKeySync',
    'generatePrime',
    'generatePrimeSync',
    'webcrypto.getRandomValues',
    'webcrypto.randomUUID',
    'subtle.generateKey',
  ].map((name) => `crypto.${name}`),
])

/** Reports chance that differs on every machine: `Math.random`, `crypto`. */
export const noAmbientRandom = makeRule({
  name: 'no-ambient-random',
  description: 'Draw chance from the random of the context, which every machine has alike',
  messages: {
    ambient:
      '{{name}} gives something else on every machine; draw from the random of the context: random.below(6), random.chance(1, 3), random.pick(list)',
    drawBelow: 'Draw a whole number: random.below({{limit}})',
  },
  hasSuggestions: true,
  check: (file) => ({
    Program() {
      for (const use of file.uses) {
        if (!sources.has(use.path) || use.isAlias) continue
        const suggest = suggestDraw(file, use)
        file.report({ node: use.node, messageId: 'ambient', data: { name: use.path }, suggest })
      }
    },
  }),
})

/** `Math.floor(Math.random() * 6)` is `random.below(6)`, where the context's `random` is at hand. */
function suggestDraw(file: File, { path, node, how }: GlobalUse) {
  const product = parentOf(parentOf(node) ?? node)
  if (path !== 'Math.random' || how !== 'call' || product?.type !== 'BinaryExpression') return []
  const floor = parentOf(product)
  const isFloor =
    floor?.type === 'CallExpression' && /^Math\s*\.\s*(?:floor|trunc)\(/.test(file.text(floor))
  if (!isFloor || product.operator !== '*' || product.left !== parentOf(node)) return []
  if (file.names.lookUp('random', node)?.defs[0]?.type !== 'Parameter') return []
  const limit = file.text(child(product, 'right') ?? product)
  return [
    {
      messageId: 'drawBelow',
      data: { limit },
      fix: replace(floor, `random.below(${limit})`),
    },
  ]
}
