import { startRelay } from 'samestep/server'
import { defineConfig, type Plugin } from 'vite'

/** Starts a relay with the dev server, which passes the WebSockets at /relay on to it. */
function relay(): Plugin {
  return {
    name: 'relay',
    apply: (_, { command }) => command === 'serve' && process.env.VITEST === undefined,
    async config() {
      // Only this machine reaches the relay itself, so pages of any origin may use it.
      const { url } = await startRelay({ port: 0, origins: 'any', log: false })
      const rewrite = (path: string) => path.replace(/^\/relay/, '')
      return { server: { proxy: { '/relay': { target: url, ws: true, rewrite } } } }
    },
  }
}

export default defineConfig({
  plugins: [relay()],
  // `npm run dev -- --host` lets phones in your network join.
  build: { target: 'es2022' },
})
