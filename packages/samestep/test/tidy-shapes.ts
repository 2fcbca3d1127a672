/** Rules about objects that engines give a fast shape: what is read in every tick must have one. */
import { coreLayers } from './layers.ts'
import { isNode, type Node, type Tree, walk } from './tidy-tree.ts'

/** Only loaded in development, or after a desync. */
const slowFolders = ['sim/guard/', 'sim/trace/']

const oneShape = 'each object gets a hidden class of its own, and code that reads several is slow'

/** Reports literals of which every object gets another shape. */
export function checkShapes(
  path: string,
  layer: string,
  tree: Tree,
  report: (node: Node, message: string) => void,
): void {
  if (!coreLayers.includes(layer) || slowFolders.some((folder) => path.startsWith(folder))) return
  walk(tree.program, (node, parent, key) => {
    if (parent?.type !== 'ObjectExpression' || key !== 'properties') return
    const { type, kind, argument } = node
    if (type === 'SpreadElement' && isNode(argument) && argument.type === 'ObjectExpression') {
      report(node, `...{ } in an object: write its properties directly; otherwise ${oneShape}`)
    }
    if (kind === 'get' || kind === 'set') {
      report(
        node,
        `${String(kind)} in an object: write a class or a function; otherwise ${oneShape}`,
      )
    }
  })
}
