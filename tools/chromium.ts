import type { LaunchOptions } from 'playwright-core'
import { findProgram, type Program } from './programs.ts'

/** Chromium or Chrome; `CHROMIUM_PATH` wins over everything that is found. */
export const chromium: Program = {
  name: 'Chromium',
  candidates: [
    ...(process.env.CHROMIUM_PATH ? [process.env.CHROMIUM_PATH] : []),
    'chromium',
    'chromium-browser',
    'google-chrome',
    'google-chrome-stable',
    '/usr/bin/chromium',
    '/Applications/Google Chrome.app/Contents/MacOS/Google Chrome',
    '/Applications/Chromium.app/Contents/MacOS/Chromium',
  ],
  debianPackages: ['chromium'],
}

/**
 * How every test starts Chromium. No sandbox, because CI runs as root, where Chromium refuses one;
 * no background networking, because a test machine may have no way out.
 *
 * Throws when there is no Chromium. `npm test` has installed it by then.
 */
export function chromiumOptions(): LaunchOptions {
  const executablePath = findProgram(chromium.candidates)
  if (executablePath === undefined) {
    throw new Error('Cannot find Chromium: run npm test, which installs it, or set CHROMIUM_PATH')
  }
  return {
    executablePath,
    headless: true,
    args: [
      '--no-sandbox',
      '--disable-gpu',
      '--disable-quic',
      '--no-first-run',
      '--disable-background-networking',
      '--disable-component-update',
      '--disable-sync',
    ],
  }
}
