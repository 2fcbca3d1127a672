/** What of a machine says what it is. Everything is read as from a stranger: pages replace all of it. */
interface Surroundings {
  readonly process?: {
    readonly versions?: {
      readonly v8?: string | undefined
      readonly [name: string]: string | undefined
    }
    readonly arch?: string
  }
  readonly navigator?: { readonly userAgent?: string }
}

/**
 * Browsers by what they call themselves, most particular first: all of them say that they are several
 * others too.
 */
const browsers: readonly (readonly [name: string, pattern: RegExp])[] = [
  ['Edge', /\bEdgA?\/([\d.]+)/],
  ['Opera', /\bOPR\/([\d.]+)/],
  ['Samsung Internet', /\bSamsungBrowser\/([\d.]+)/],
  ['Firefox', /\b(?:Firefox|FxiOS)\/([\d.]+)/],
  ['Chrome', /\b(?:Headless)?(?:Chrome|CriOS)\/([\d.]+)/],
  ['Safari', /\bVersion\/([\d.]+).*\bSafari\//],
]

/** What runs this code, in a few words: `Firefox 128.0`, `Node 20.20.2, V8 11.3.244.8, x64`. */
export function engineName(around: Surroundings = globalThis as Surroundings): string {
  const { versions, arch } = around.process ?? {}
  for (const [name, key] of servers) {
    const version = versions?.[key]
    if (version === undefined) continue
    const v8 = versions?.v8 === undefined ? [] : [`V8 ${versions.v8}`]
    return [`${name} ${version}`, ...v8, ...(arch === undefined ? [] : [arch])].join(', ')
  }
  const agent = String(around.navigator?.userAgent ?? '')
  for (const [name, pattern] of browsers) {
    const version = pattern.exec(agent)?.[1]
    if (version !== undefined) return `${name} ${version}`
  }
  return agent
}

/** Runtimes besides browsers; those that pass for Node come first. */
const servers = [
  ['Bun', 'bun'],
  ['Deno', 'deno'],
  ['Electron', 'electron'],
  ['Node', 'node'],
] as const
