import { defineConfig } from 'vitest/config'
import { ClosingLine } from './tools/closing-line.ts'

export default defineConfig({
  test: {
    include: [
      'packages/*/src/**/*.test.ts',
      'packages/*/test/**/*.test.ts',
      'examples/**/*.test.ts',
      'bench/**/*.test.ts',
      'tools/**/*.test.ts',
    ],
    reporters: ['default', new ClosingLine()],
    testTimeout: 60_000,
  },
})
