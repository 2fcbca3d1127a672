/**
 * `npm start`: builds everything, starts a relay that serves the page of `examples/dots`, and prints
 * the address to open. It runs until Ctrl-C.
 */
import { parseArgs } from 'node:util'
import { bundleDots } from './dots-page.ts'
import { playHeadless } from './headless-examples.ts'
import { refuse, runScript } from './programs.ts'

const help = `npm start -- [flags]

Builds the package and the example page, starts a relay and prints the address to open.

  --port <number>   the port to listen at (7777, or another one where that is taken)
  --lan             let other machines of your network in, without encryption
  --headless        play the three examples without a screen, and end
  --help, -h        this text`

/**
 * The relay's usual port, and then others, for a few relays of the same person; whoever needs more
 * says which. Ten apart, since a relay may take the ports beside its own for other transports.
 */
const portsTried = [7_777, 7_787, 7_797, 7_807, 7_817]

interface Flags {
  readonly port: number | undefined
  readonly isLan: boolean
}

function readFlags(args: readonly string[]): Flags | 'headless' {
  try {
    const { values } = parseArgs({
      args: [...args],
      options: {
        port: { type: 'string' },
        lan: { type: 'boolean', default: false },
        headless: { type: 'boolean', default: false },
        help: { type: 'boolean', short: 'h', default: false },
      },
    })
    if (values.help) {
      console.log(help)
      process.exit(0)
    }
    if (values.headless) return 'headless'
    const port = values.port === undefined ? undefined : Number(values.port)
    if (port !== undefined && !(Number.isInteger(port) && port >= 0 && port <= 65_535)) {
      refuse(`Cannot listen at port ${values.port}: it must be a number from 0 to 65535`)
    }
    return { port, isLan: values.lan }
  } catch (error) {
    refuse(`${(error as Error).message.split('. ')[0]}. Try npm start -- --help`)
  }
}

/** Whether the native library was made for this machine. */
async function hasWebrtc(): Promise<boolean> {
  return import('node-datachannel').then(
    () => true,
    () => false,
  )
}

/** Starts the relay at the port that was asked for, or at the first free one from the usual on. */
async function startDots({ port, isLan }: Flags, pages: string) {
  // Not at the top: it is built by now, and was not when this file was loaded.
  const { startRelay } = await import('samestep/server')
  // The page has a link for WebRTC. On a network it stays off, as for everybody who does not ask.
  const webrtc = (await hasWebrtc()) ? { webrtc: { port: 0 } } : {}
  const open = isLan ? { host: '0.0.0.0', insecure: true } : webrtc
  const ports = port === undefined ? portsTried : [port]
  for (const [index, tried] of ports.entries()) {
    try {
      return await startRelay({ port: tried, pages, log: 'warn', ...open })
    } catch (error) {
      const next = ports[index + 1]
      const isTaken = (error as { code?: string }).code === 'SS_CANNOT_LISTEN'
      if (!isTaken || next === undefined) refuse((error as Error).message)
      console.log(`Port ${tried} is taken: trying ${next}`)
    }
  }
  throw new Error('unreachable')
}

const flags = readFlags(process.argv.slice(2))
runScript('build')
if (flags === 'headless') {
  process.exit(playHeadless())
}
const relay = await startDots(flags, await bundleDots())
for (const notice of relay.notices) console.log(notice)
console.log(`
  dots is served at  ${relay.urls.http}

  Open it twice, side by side: two players, one match.
  Ctrl-C ends it.
`)
for (const signal of ['SIGINT', 'SIGTERM'] as const) {
  process.once(signal, () => {
    relay.close().then(() => process.exit(0))
  })
}
