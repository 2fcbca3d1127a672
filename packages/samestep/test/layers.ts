/** The layers of `src/`: what stands above what, who must not know whom, and what each may touch. */

/** Bottom to top. A layer may import itself and what stands before it: imports only go down. */
export const layers = [
  'base',
  'sim',
  'wire',
  'record',
  'desync',
  'link',
  'netem',
  'room',
  'client',
  'relay',
  'transport',
  'driver',
  'overlay',
  'check',
  'storm',
  'server',
  'cli',
  'eslint',
] as const

/** Pairs that must not know each other, although one stands before the other. */
const strangers: readonly (readonly [string, string])[] = [
  // What both ends need is the protocol, and that is in wire.
  ['relay', 'client'],
  // A record keeps what happened, however it travelled.
  ['link', 'record'],
  ['netem', 'record'],
  // Both ends explain desyncs with it, over whatever link.
  ['link', 'desync'],
  ['netem', 'desync'],
  ['room', 'desync'],
  // What people do around a match is the relay's business; it knows no links, and clients not it.
  ['room', 'link'],
  ['room', 'netem'],
  ['client', 'room'],
  // A bad line knows neither messages nor games, and who plays over it knows nothing of it.
  ['netem', 'sim'],
  ['netem', 'wire'],
  ['netem', 'link'],
  ['client', 'netem'],
  ['relay', 'netem'],
  // Two tools that stand side by side.
  ['storm', 'check'],
  // A page of a game shows it; no tool does.
  ['check', 'overlay'],
  ['storm', 'overlay'],
  ['server', 'overlay'],
  ['cli', 'overlay'],
  // A relay in production carries no test world.
  ['server', 'check'],
  ['server', 'storm'],
  // ESLint loads it in other people's editors: it carries no engine, and only knows names.
  ...layers.slice(0, -1).map((layer) => ['eslint', layer] as const),
]

/** Layers that are synchronous, without clock, chance or machine: bytes and time in, bytes out. */
export const coreLayers: readonly string[] = layers.slice(0, layers.indexOf('transport'))

/** Layers under the bans. One seed makes the world of a storm, so nothing else may shape it. */
export const pureLayers: readonly string[] = [...coreLayers, 'storm']

/** The only layers that may open sockets and files. */
export const machineLayers: readonly string[] = ['transport', 'server', 'cli']

/** Whether `layer` may import `other`. */
export function mayImport(layer: string, other: string): boolean {
  const order: readonly string[] = layers
  const [from, to] = [order.indexOf(layer), order.indexOf(other)]
  return to >= 0 && to <= from && !strangers.some(([a, b]) => a === layer && b === other)
}
