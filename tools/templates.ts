/**
 * `npm run test:templates [-- name…] [--folder path]`: every template as a newcomer gets it.
 *
 * Packs both packages, generates each template, installs it from the registry, and runs its tests, its
 * check, its linter and its build. Then it opens the dev server in Chromium: two windows that play, and
 * for `lobby` a whole walk. Screenshots stay in the folder. Takes minutes, and needs a registry.
 */
import { execFileSync } from 'node:child_process'
import { mkdirSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { type Browser, chromium } from 'playwright-core'
import { isTemplate, templates } from '../packages/create-samestep/src/answers.ts'
import { chromiumOptions } from './chromium.ts'
import { installTarball, packPackage, runNpm } from './packed-package.ts'
import { refuse, root } from './programs.ts'
import { DevServer } from './templates/dev-server.ts'
import { walkLobby } from './templates/walk-lobby.ts'

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: { folder: { type: 'string', default: join(root, '.cache', 'templates') } },
})
const wanted = positionals.length === 0 ? templates : positionals
for (const name of wanted) {
  if (!isTemplate(name)) refuse(`Cannot test '${name}': templates are ${templates.join(', ')}`)
}

const { folder } = values
rmSync(folder, { recursive: true, force: true })
mkdirSync(join(folder, 'creator'), { recursive: true })
const samestep = packPackage('samestep', folder)
installTarball(packPackage('create-samestep', folder), join(folder, 'creator'))

const browser = await chromium.launch(chromiumOptions())
try {
  for (const name of wanted) await testTemplate(name, browser)
} finally {
  await browser.close()
}
console.log(`${wanted.length} templates work; screenshots are in ${folder}`)

async function testTemplate(template: string, browser: Browser): Promise<void> {
  const creator = join(folder, 'creator', 'node_modules', '.bin', 'create-samestep')
  const game = join(folder, `${template}-game`)
  const args = [creator, `${template}-game`, '--template', template, '--yes']
  execFileSync(process.execPath, args, { cwd: folder })
  const step = (name: string, ...command: string[]) => {
    const startMs = performance.now()
    runNpm(command, game)
    console.log(`${template}: ${name}, ${((performance.now() - startMs) / 1_000).toFixed(1)} s`)
  }
  step('install', 'install', '--no-audit', '--no-fund', samestep)
  step('test', 'test')
  step('check', 'run', 'check', '--', '--ticks', '200', '--here')
  step('lint', 'run', 'lint')
  step('build', 'run', 'build')
  const server = await DevServer.start(game)
  try {
    if (template === 'lobby') await walkLobby(browser, server.url, folder)
    else await playTogether(template, browser, server.url)
  } finally {
    server.stop()
  }
  console.log(`${template}: played`)
}

/** Two windows of one address: the first waits, then both play. */
async function playTogether(template: string, browser: Browser, url: string): Promise<void> {
  const complaints: string[] = []
  const open = async (address: string) => {
    const page = await (await browser.newContext()).newPage()
    page.setDefaultTimeout(60_000)
    page.on('pageerror', (error) => complaints.push(String(error)))
    await page.goto(address)
    return page
  }
  const first = await open(`${url}/?name=Ada`)
  await first.locator('#notice', { hasText: 'Waiting for players' }).waitFor()
  await first.screenshot({ path: join(folder, `${template}-1-waiting.png`) })
  const second = await open(await first.evaluate('location.href.replace("Ada", "Bo")'))
  for (const page of [first, second]) await page.locator('#notice').waitFor({ state: 'hidden' })
  await second.locator('#score', { hasText: /\d/ }).waitFor()
  await second.keyboard.down('ArrowUp')
  await second.waitForTimeout(1_500)
  await second.screenshot({ path: join(folder, `${template}-2-playing.png`) })
  if (complaints.length > 0) throw new Error(`${template} complained:\n${complaints.join('\n')}`)
  for (const page of [first, second]) await page.context().close()
}
