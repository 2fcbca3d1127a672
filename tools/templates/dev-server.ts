import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'

/** `npm run dev` of a game: its dev server, with the relay that it starts. */
export class DevServer {
  readonly url: string
  readonly #child: ChildProcess

  private constructor(child: ChildProcess, url: string) {
    this.#child = child
    this.url = url
  }

  /** Starts it on a free port, and waits until it says where. */
  static async start(folder: string): Promise<DevServer> {
    const child = spawn('npm', ['run', 'dev', '--', '--port', '0', '--host', '127.0.0.1'], {
      cwd: folder,
      // A group of its own: npm, its shell and the server end together.
      detached: true,
      stdio: ['ignore', 'pipe', 'pipe'],
    })
    let output = ''
    child.stderr.on('data', (bytes) => {
      output += bytes
    })
    for (;;) {
      const [bytes] = await Promise.race([
        once(child.stdout, 'data'),
        once(child, 'exit').then(() => {
          throw new Error(`Cannot start the dev server of ${folder}:\n${output}`)
        }),
      ])
      output += bytes
      // biome-ignore lint/suspicious/noControlCharactersInRegex: colours of a terminal
      const [url] = /http:\/\/127\.0\.0\.1:\d+/.exec(output.replace(/\x1b\[\d+m/g, '')) ?? []
      if (url !== undefined) return new DevServer(child, url)
    }
  }

  stop(): void {
    if (this.#child.pid !== undefined) process.kill(-this.#child.pid)
  }
}
