import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { buildKernel, kernelFilePath, renderKernelFile } from '../../../../../tools/build-kernel.ts'
import { kernelBase64 } from './kernel-wasm.ts'

test('the committed kernel is what its tool builds', () => {
  const text = renderKernelFile(buildKernel())
  expect(readFileSync(kernelFilePath, 'utf8')).toBe(text)
})

test('the kernel is small enough to be compiled synchronously on the main thread of a browser', () => {
  expect(Buffer.from(kernelBase64, 'base64').length).toBeLessThan(4096)
})

test('the kernel imports its memory and nothing else', () => {
  const module = new WebAssembly.Module(buildKernel())
  expect(WebAssembly.Module.imports(module)).toEqual([
    { module: 'state', name: 'memory', kind: 'memory' },
  ])
})
