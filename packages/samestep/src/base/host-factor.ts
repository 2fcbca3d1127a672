/** What makes machines differ. */
export type HostFactor = 'random' | 'clock' | 'zone' | 'locale' | 'math'

/**
 * What a call of game code depends on, by the name that a trap gives it: `Math.sin`, `new Date`. It says
 * in short what the rules of `sim/guard/host-rules.ts` say one by one, for bundles that hold none of
 * those; the test there compares the two.
 */
export function hostFactor(name: string): HostFactor | undefined {
  const path = name.replace(/^new /, '')
  return patterns.find(([, pattern]) => pattern.test(path))?.[0]
}

const patterns: readonly (readonly [HostFactor, RegExp])[] = [
  ['random', /^Math\.random$|^crypto\.(?:getRandomValues|randomUUID)$/],
  ['math', /^Math\.\w+$/],
  ['locale', /^Intl\.|\.prototype\.(?:locale\w+|toLocale\w+)$/],
  ['zone', /^Date\.(?:parse|prototype\.\w+)$/],
  ['clock', /^Date(?:\.now)?$|^Temporal\.Now\.|^performance\.|^process\.(?:hrtime|uptime)\b/],
]
