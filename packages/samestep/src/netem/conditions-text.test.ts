import { expect, test } from 'vitest'
import { conditionPresets, parseConditions } from './conditions-text.ts'

test('a text gives conditions for both directions', () => {
  const { sending, receiving } = parseConditions('latency=80, jitter=20ms,loss=5%')
  expect(sending).toEqual({ latencyMs: 80, jitterMs: 20, loss: 0.05 })
  expect(receiving).toEqual(sending)
})

test('every key has its unit', () => {
  const text =
    'latency=1.5s,burst=8s/300/80%,duplicate=0.01,reorder=2%/4,corrupt=0.1%,' +
    'bandwidth=64k,header=28,queue=1M,mtu=1200,cut=no,stall'
  expect(parseConditions(text).sending).toEqual({
    latencyMs: 1_500,
    burst: { everyMs: 8_000, lengthMs: 300, loss: 0.8 },
    duplicate: 0.01,
    reorder: 0.02,
    reorderPackets: 4,
    corrupt: 0.001,
    bytesPerSecond: 64_000,
    headerBytes: 28,
    queueBytes: 1_000_000,
    packetBytesMax: 1_200,
    isCut: false,
    isClogged: true,
  })
})

test('one direction can be named, and later words go over earlier ones', () => {
  const { sending, receiving } = parseConditions('mobile,send.latency=200,receive.loss=9%,burst=no')
  const { mobile } = conditionPresets
  expect(sending).toEqual({ ...mobile, latencyMs: 200, burst: null })
  expect(receiving).toEqual({ ...mobile, loss: 0.09, burst: null })
})

test('an empty text changes nothing', () => {
  expect(parseConditions('')).toEqual({ sending: {}, receiving: {} })
})

test('an unknown key is answered with all keys and presets', () => {
  const parse = () => parseConditions('latancy=80')
  expect(parse).toThrow(expect.objectContaining({ code: 'SS_BAD_ARGUMENT' }))
  expect(parse).toThrow(
    'Cannot read the condition "latancy=80": it must be one of latency=80, jitter=20, loss=5%, ' +
      'burst=8s/300ms/80%, duplicate=1%, reorder=2%/4, corrupt=0.1%, bandwidth=64k, header=28, queue=32k, ' +
      'mtu=1200, cut=yes, stall=yes, with send. or receive. before it for one direction, ' +
      'or one of good, wifi, mobile, awful',
  )
})

test.each([
  'latency=fast',
  'latency=-5',
  'latency',
  'loss=5',
  'loss=101%',
  'loss=5%%',
  'burst=1s',
  'burst=1s/2s/50%/3',
  'reorder=5%/1.5',
  'bandwidth=64kk',
  'latency=1.2.3',
  'latency=5constructor',
  'cut=maybe',
])('%s is answered with how that key looks', (text) => {
  const key = text.split('=')[0]
  expect(() => parseConditions(text)).toThrow(`it must look like ${key}=`)
})

test.each(['__proto__=1', 'constructor', 'toString=2', 'upward.loss=1%', '=5'])(
  '%s is no key',
  (text) => {
    expect(() => parseConditions(text)).toThrow('it must be one of')
  },
)
