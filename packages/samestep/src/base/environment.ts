declare const process: { readonly env: { readonly NODE_ENV?: string } }

/**
 * True where more checks are worth their cost: unless `NODE_ENV` says production.
 *
 * Bundlers replace `process.env.NODE_ENV` by its value, so the name must stand here as it is. In a
 * browser without a bundler it means nothing, and the answer is production.
 */
export function isDevelopment(): boolean {
  try {
    return process.env.NODE_ENV !== 'production'
  } catch {
    return false
  }
}
