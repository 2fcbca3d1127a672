import { changesOf } from '../changes.ts'
import { type File, makeRule } from '../rule.ts'
import { type Node, runsAtLoad } from '../syntax.ts'
import { importOf, type Variable } from '../variables.ts'

/** Scratch memory is fine where every use fills it before reading; its name is to say so. */
const scratch = ['^scratch', 'Scratch$']

/** Reports variables of a module that change while the simulation runs. */
export const noModuleState = makeRule({
  name: 'no-module-state',
  description: 'Keep everything that changes in the state',
  messages: {
    changed:
      '{{name}} is kept outside the state, so it is not saved, not hashed and not reset; move it into the state. Memory that is filled before every reading may stay, if its name begins with scratch',
    global:
      '{{name}} is kept outside the state, where everything on the page can change it; move it into the state',
    read: '{{name}} is changed by code outside the simulation; send what it says as an order or an input',
  },
  options: {
    allow: {
      type: 'array',
      items: { type: 'string' },
      description: 'Patterns of names that may change: scratch memory, and caches of pure results.',
    },
  },
  check: (file) => ({
    Program() {
      const patterns = (file.options.allow as string[] | undefined) ?? scratch
      const allowed = patterns.map((pattern) => new RegExp(pattern))
      for (const variable of file.names.topLevel) {
        if (!allowed.some((pattern) => pattern.test(variable.name))) check(file, variable)
      }
      for (const { path, node } of file.uses) checkGlobal(file, path, node)
    },
  }),
})

function check(file: File, variable: Variable): void {
  // What runs while the module is loaded makes constants: it is the same on every machine.
  const changes = changesOf(variable, file).filter((node) => !runsAtLoad(node))
  const data = { name: variable.name }
  const inside = changes.filter((node) => file.isInside(node))
  for (const node of inside) file.report({ node, messageId: 'changed', data })
  if (inside.length > 0 || changes.length === 0 || importOf(variable) !== undefined) return
  const read = variable.references.find(
    ({ identifier, init }) => init !== true && file.isInside(identifier as unknown as Node),
  )
  if (read === undefined) return
  file.report({ node: read.identifier as unknown as Node, messageId: 'read', data })
}

function checkGlobal(file: File, path: string, node: Node): void {
  const { parent } = node
  const isTarget =
    node.type === 'MemberExpression' &&
    ((parent?.type === 'AssignmentExpression' && parent.left === node) ||
      parent?.type === 'UpdateExpression')
  // What a constructor made belongs to whoever holds it.
  if (!isTarget || path.startsWith('new ') || runsAtLoad(node)) return
  file.report({ node, messageId: 'global', data: { name: path } })
}
