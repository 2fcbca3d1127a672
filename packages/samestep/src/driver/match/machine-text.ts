/** What a runtime says about itself, as far as it does. */
interface Hints {
  readonly navigator?: { readonly userAgent?: string }
  readonly process?: {
    readonly version?: string
    readonly platform?: string
    readonly arch?: string
    readonly versions?: { readonly v8?: string }
  }
}

/**
 * The engine and the platform of this machine in a line, for the report of a desync: machines that
 * compute differently often are different ones.
 */
export function machineText({ navigator, process }: Hints = globalThis as Hints): string {
  const { version, platform, arch, versions } = process ?? {}
  if (version !== undefined) {
    const engine = versions?.v8 === undefined ? '' : `, V8 ${versions.v8}`
    return `Node ${version}${engine}, ${platform ?? ''} ${arch ?? ''}`.trimEnd()
  }
  return navigator?.userAgent ?? ''
}
