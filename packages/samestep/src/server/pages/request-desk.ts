/** Answers requests that are no upgrades: health, pages, and what this place is. */
import type { IncomingMessage, ServerResponse } from 'node:http'
import type { FaultListener } from '../../transport/entrance.ts'
import type { HealthPage } from './health-page.ts'
import { answerText, type StaticPages } from './static-pages.ts'

/** What the desk is made with. */
export interface RequestDeskOptions {
  readonly pages: StaticPages | undefined
  readonly health: HealthPage
  /** How to join, in lines of text. */
  greeting(): readonly string[]
  readonly onFault: FaultListener
}

/** Makes what answers requests. Nothing of it throws. */
export function makeRequestDesk(
  options: RequestDeskOptions,
): (request: IncomingMessage, response: ServerResponse) => void {
  return (request, response) => {
    answer(request, response, options).catch((error: unknown) => {
      options.onFault(error, request.socket.remoteAddress)
      if (response.headersSent) response.destroy()
      else answerText(response, 500, 'Something went wrong here\n')
    })
  }
}

async function answer(
  request: IncomingMessage,
  response: ServerResponse,
  options: RequestDeskOptions,
): Promise<void> {
  response.setHeader('X-Content-Type-Options', 'nosniff')
  if (request.method !== 'GET' && request.method !== 'HEAD') {
    // What else it has to say is not read.
    response.setHeader('Connection', 'close')
    response.setHeader('Allow', 'GET, HEAD')
    answerText(response, 405, 'This port takes GET, HEAD and WebSocket\n')
    return
  }
  const path = (request.url ?? '/').split(/[?#]/)[0]
  if (path === '/health') await answerHealth(response, options)
  else if (options.pages !== undefined) await options.pages.answer(request, response)
  else if (path === '/') answerGreeting(request, response, options)
  else answerText(response, 404, 'There is no such page\n')
}

async function answerHealth(
  response: ServerResponse,
  { health }: RequestDeskOptions,
): Promise<void> {
  const { status, body } = await health.answer()
  response.writeHead(status, {
    'Content-Type': 'application/json; charset=utf-8',
    'Content-Length': body.length,
    'Cache-Control': 'no-store',
  })
  response.end(body)
}

function answerGreeting(
  request: IncomingMessage,
  response: ServerResponse,
  { greeting }: RequestDeskOptions,
): void {
  const lines = greeting()
  response.setHeader('Cache-Control', 'no-store')
  if (!/\btext\/html\b/.test(request.headers.accept ?? '')) {
    answerText(response, 200, `${lines.join('\n')}\n`)
    return
  }
  const [title = '', ...rest] = lines.map(escapeHtml)
  const body = `<!doctype html>
<html lang="en"><meta charset="utf-8"><meta name="viewport" content="width=device-width">
<title>Samestep relay</title>
<h1>${title}</h1>
<pre>${rest.join('\n')}</pre>
</html>
`
  response.writeHead(200, {
    'Content-Type': 'text/html; charset=utf-8',
    'Content-Length': Buffer.byteLength(body),
    'Content-Security-Policy': "default-src 'none'",
  })
  response.end(body)
}

function escapeHtml(text: string): string {
  return text.replace(/[&<>"']/g, (letter) => `&#${letter.charCodeAt(0)};`)
}
