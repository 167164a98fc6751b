import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdirSync, mkdtempSync, readFileSync, rmSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'
import { type Browser, chromium } from 'playwright-core'
import { SIGN_INS_PATH } from '../src/operations/routes.ts'
import { playScene, type Scene } from '../test/web/scene.ts'

/**
 * What `npm run screenshots` makes: a picture of every screen in docs/screenshots/, of a scene that is played on a server
 * of its own. It needs a build, and Chromium.
 */
const ROOT = fileURLToPath(new URL('..', import.meta.url))
const FOLDER = join(ROOT, 'docs', 'screenshots')
const CHROMIUM = process.env['POSTERN_CHROMIUM'] ?? '/usr/bin/chromium'
const MOST_BYTES = 150_000

interface Shot {
  readonly name: string
  readonly path: string
  readonly width?: number
  readonly theme?: 'dark'
  /** Pressed one after the other before the picture is taken. */
  readonly keys?: readonly string[]
  readonly type?: string
}

const home = mkdtempSync(join(tmpdir(), 'postern-screenshots-'))
const child = spawn(process.execPath, [join(ROOT, 'bin', 'postern.cjs'), 'serve', '--port', '0', '--json'], {
  cwd: home,
  env: { PATH: process.env['PATH'] ?? '', HOME: home, POSTERN_HOME: home },
  stdio: ['ignore', 'pipe', 'inherit'],
})
try {
  const [line] = await once(createInterface({ input: child.stdout }), 'line')
  const { url, tokenFile } = JSON.parse(line) as { readonly url: string; readonly tokenFile: string }
  const token = readFileSync(tokenFile, 'utf8').trim()
  const scene = await playScene({ url, token })
  const shots = await shotsOf(scene)
  await scene.close()
  mkdirSync(FOLDER, { recursive: true })
  const browser = await chromium.launch({ executablePath: CHROMIUM, args: ['--no-sandbox', '--disable-gpu'] })
  for (const shot of shots) await take(browser, { url, token }, shot)
  await browser.close()
} finally {
  child.kill()
  await once(child, 'exit')
  rmSync(home, { recursive: true, force: true, maxRetries: 5, retryDelay: 50 })
}

async function shotsOf({ admin, rosa, decisionId, gateId }: Scene): Promise<readonly Shot[]> {
  const { items } = await admin.inbox.list({ agent: 'milo', which: 'delivered' })
  const [plan] = await admin.plans.list({ agent: 'milo' })
  const service = (await rosa.services.list({})).find(({ name }) => name === 'ci')
  const topic = (await rosa.ledger.topics({ role: 'work' }))[0]
  return [
    { name: 'inbox', path: '/inbox', keys: ['j', 'j', 'j', 'j', 'j'] },
    { name: 'inbox-dark', path: '/inbox', theme: 'dark', keys: ['j', 'j', 'j', 'j', 'j'] },
    { name: 'inbox-phone', path: '/inbox', width: 380 },
    { name: 'compose', path: '/inbox', keys: ['c'], type: 'qu' },
    { name: 'search', path: '/inbox', keys: ['Control+k'], type: 'release' },
    { name: 'keys', path: '/inbox', keys: ['?'] },
    { name: 'decision', path: `/decisions/${decisionId}`, keys: ['2'] },
    { name: 'gates', path: `/gates/${gateId}` },
    { name: 'spaces', path: '/spaces/release' },
    { name: 'bus', path: '/bus/shop/receipts' },
    { name: 'bus-issues', path: '/bus/shop/receipts?view=graph' },
    { name: 'plans', path: `/plans/${plan?.id}` },
    { name: 'plans-calendar', path: '/plans?view=calendar' },
    { name: 'agents', path: '/agents/quinn' },
    { name: 'trace', path: `/trace/${items[0]?.id}` },
    { name: 'ledger', path: `/ledger/${topic?.id}`, keys: ['y'] },
    { name: 'services', path: `/services/${service?.id}` },
    { name: 'metrics', path: '/metrics' },
    { name: 'doctor', path: '/doctor' },
  ]
}

async function take(
  browser: Browser,
  server: { readonly url: string; readonly token: string },
  shot: Shot,
): Promise<void> {
  const { name, path, width = 1280, theme = 'light', keys = [], type = '' } = shot
  const viewport = { width, height: width < 500 ? 780 : 800 }
  const context = await browser.newContext({ viewport, colorScheme: theme, reducedMotion: 'reduce' })
  const page = await context.newPage()
  await page.goto(`${server.url}${await signIn(server)}`)
  await page.goto(`${server.url}/ui${path}`)
  await page.locator('.connection[data-state=live]').first().waitFor({ state: 'attached' })
  await page.locator('.loading').first().waitFor({ state: 'detached' })
  for (const key of keys) await page.keyboard.press(key, { delay: 60 })
  await page.keyboard.type(type)
  await page.waitForTimeout(900)
  const file = join(FOLDER, `${name}.png`)
  await page.screenshot({ path: file })
  await context.close()
  const { size } = statSync(file)
  console.log(`${name.padEnd(16)} ${Math.round(size / 1_000)} KB`)
  if (size > MOST_BYTES) throw new Error(`${file} is larger than ${MOST_BYTES} bytes.`)
}

async function signIn({ url, token }: { readonly url: string; readonly token: string }): Promise<string> {
  const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' }
  const body = JSON.stringify({ person: 'rosa' })
  const response = await fetch(`${url}${SIGN_INS_PATH}`, { method: 'POST', headers, body })
  return ((await response.json()) as { readonly path: string }).path
}
