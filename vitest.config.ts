import { availableParallelism } from 'node:os'
import { defineConfig } from 'vitest/config'
import { ClosingLine } from './tools/closing-line.ts'
import { LongFirst } from './tools/long-first.ts'

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
    // Vitest leaves one processor free, which on a machine of two is half of it. Many tests wait for
    // other processes, so two at a time are not too many anywhere.
    maxWorkers: Math.max(availableParallelism(), 2),
    sequence: { sequencer: LongFirst },
  },
})
