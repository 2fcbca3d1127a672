import { onTestFinished, vi } from 'vitest'

/** Keeps what is written to the console by a test, each line as text, instead of showing it. */
export function catchConsole(): { readonly errors: string[]; readonly warnings: string[] } {
  const lines = { errors: [] as string[], warnings: [] as string[] }
  const text = (parts: unknown[]) => parts.map(String).join(' ')
  const error = vi.spyOn(console, 'error').mockImplementation((...parts) => {
    lines.errors.push(text(parts))
  })
  const warn = vi.spyOn(console, 'warn').mockImplementation((...parts) => {
    lines.warnings.push(text(parts))
  })
  onTestFinished(() => {
    error.mockRestore()
    warn.mockRestore()
  })
  return lines
}
