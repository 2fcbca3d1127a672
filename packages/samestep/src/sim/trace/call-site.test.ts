import { afterEach, describe, expect, test } from 'vitest'
import { callSiteText } from '../../base/call-site-text.ts'
import { CallSites, findGameSite, framesMax, libraryRoot, parseStack } from './call-site.ts'

const v8Stack = `Error
    at capture (file:///lib/sim/trace/call-site.js:10:5)
    at Object.samestepTracedSet [as set] (file:///lib/sim/trace/traced-cells.js:20:7)
    at Proxy.push (<anonymous>)
    at movement (file:///game/src/systems.js:12:9)
    at async main (C:\\\\game\\\\main.js:3:1)
    at file:///game/src/top.js:1:2
    at new World (http://localhost:8080/assets/index-B2.js?v=3:1:70012)
    at native`

const firefoxStack = `capture@http://localhost/lib/call-site.js:10:5
samestepTracedSet@http://localhost/lib/traced-cells.js:20:7
movement@http://localhost/game/systems.js:12:9
run/<@http://localhost/game/main.js line 3 > eval:1:1
@http://localhost/game/top.js:1:2
`

const safariStack = `capture@http://localhost/lib/call-site.js:10:5
samestepTracedSet@http://localhost/lib/traced-cells.js:20:7
push@[native code]
movement@http://localhost/game/systems.js:12:9
module code@http://localhost/game/top.js:1:2
http://localhost/game/anonymous.js:4:5`

describe('stack traces of', () => {
  test('V8 are read, with the library and native frames left out', () => {
    expect(parseStack(v8Stack)).toEqual([
      { functionName: 'movement', file: 'file:///game/src/systems.js', line: 12, column: 9 },
      { functionName: 'main', file: 'C:\\\\game\\\\main.js', line: 3, column: 1 },
      { functionName: '', file: 'file:///game/src/top.js', line: 1, column: 2 },
      {
        functionName: 'new World',
        file: 'http://localhost:8080/assets/index-B2.js?v=3',
        line: 1,
        column: 70_012,
      },
    ])
  })

  test('Firefox are read', () => {
    const frames = parseStack(firefoxStack)
    expect(frames[0]).toEqual({
      functionName: 'movement',
      file: 'http://localhost/game/systems.js',
      line: 12,
      column: 9,
    })
    expect(frames.at(-1)).toEqual({
      functionName: '',
      file: 'http://localhost/game/top.js',
      line: 1,
      column: 2,
    })
  })

  test('Safari are read', () => {
    expect(parseStack(safariStack).map(callSiteText)).toEqual([
      'movement (http://localhost/game/systems.js:12:9)',
      'module code (http://localhost/game/top.js:1:2)',
      'http://localhost/game/anonymous.js:4:5',
    ])
  })

  test('nobody, and nonsense, are empty', () => {
    expect(parseStack('')).toEqual([])
    expect(parseStack('Error: at sea\n  no:where\n')).toEqual([])
  })
})

describe('the running line', () => {
  const sites = new CallSites()
  function samestepTracedProbe() {
    return sites.capture(samestepTracedProbe)
  }
  function gameFunction() {
    return samestepTracedProbe()
  }

  const hook = Object.getOwnPropertyDescriptor(Error, 'prepareStackTrace')
  afterEach(() => {
    Reflect.deleteProperty(Error, 'prepareStackTrace')
    if (hook !== undefined) Object.defineProperty(Error, 'prepareStackTrace', hook)
  })

  test('is that of the caller, at its original place', () => {
    const [first, second] = gameFunction()
    expect(first?.functionName).toBe('gameFunction')
    expect(first?.file).toMatch(/call-site\.test\.ts$/)
    expect(second?.file).toMatch(/call-site\.test\.ts$/)
    // The same object for the same place: a million writes of one line are one line.
    const again = () => gameFunction()
    const twice = [1, 2].map(again)
    expect(twice[0]).toBe(twice[1])
  })

  test('asking leaves the hooks of the host as they were', () => {
    const prepare = (error: Error) => `${error}`
    Object.defineProperty(Error, 'prepareStackTrace', {
      value: prepare,
      writable: true,
      configurable: true,
      enumerable: false,
    })
    const before = Object.getOwnPropertyDescriptors(Error)
    gameFunction()
    expect(Object.getOwnPropertyDescriptors(Error)).toEqual(before)
    Reflect.deleteProperty(Error, 'prepareStackTrace')
    gameFunction()
    expect(Object.hasOwn(Error, 'prepareStackTrace')).toBe(false)
  })

  test('without V8 the text is read', () => {
    const capture = Object.getOwnPropertyDescriptor(Error, 'captureStackTrace')!
    try {
      Reflect.deleteProperty(Error, 'captureStackTrace')
      expect(gameFunction()[0]?.functionName).toContain('gameFunction')
    } finally {
      Object.defineProperty(Error, 'captureStackTrace', capture)
    }
  })

  test('a stack that is deeper than is kept is cut', () => {
    const deep = (depth: number): ReturnType<typeof gameFunction> =>
      depth === 0 ? gameFunction() : deep(depth - 1)
    expect(deep(40)).toHaveLength(framesMax)
  })
})

describe('the line of the game', () => {
  const frame = (file: string) => ({ functionName: 'f', file, line: 1, column: 1 })
  const root = '/app/node_modules/samestep/dist/'

  test('is the first that is not in the library; its tests are games', () => {
    const frames = [
      frame(`${root}sim/random/xoshiro.js`),
      frame(`${root}base/heap.js`),
      frame('/app/src/combat.ts'),
      frame('/app/src/main.ts'),
    ]
    expect(findGameSite(frames, root)?.file).toBe('/app/src/combat.ts')
    expect(findGameSite(frames.slice(0, 2), root)?.file).toBe(`${root}sim/random/xoshiro.js`)
    expect(findGameSite([frame(`${root}sim/trace/trace.test.ts`)], root)?.line).toBe(1)
    expect(findGameSite([frame(`${root}storm/toy-game.js`)], root)?.file).toContain('toy-game')
    expect(findGameSite([], root)).toBeUndefined()
  })

  test('is found in a bundle once the source map was applied', () => {
    const places: { [line: number]: string } = {
      10: `${root}sim/game/definition/schedule.ts`,
      20: '/app/heal.ts',
    }
    const resolve = (site: { line: number }) => ({ ...frame(places[site.line]!), line: site.line })
    const frames = [10, 20].map((line) => ({ ...frame('bundle.js'), line }))
    expect(findGameSite(frames, root, resolve)).toMatchObject({ file: '/app/heal.ts', line: 20 })
  })

  test('the library knows where it is', () => {
    expect(libraryRoot()).toMatch(/packages\/samestep\/src\/$/)
    expect(libraryRoot(() => frame('bundle.js'))).toBeUndefined()
  })
})
