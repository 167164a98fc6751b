import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdirSync, readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'
import { type Browser, chromium } from 'playwright-core'
import { connectPostern } from '../src/client/connect.ts'
import { SIGN_INS_PATH } from '../src/model/network/paths.ts'
import type { Postern } from '../src/model/postern.ts'

/**
 * What `npm run screenshots` makes: a picture of every screen in docs/screenshots/, as `postern demo` shows them. It needs a
 * build, and Chromium.
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

/** What `postern demo --json` says of itself. */
interface Announced {
  readonly url: string
  readonly home: string
  readonly person: string
}

const child = spawn(process.execPath, [join(ROOT, 'bin', 'postern.cjs'), 'demo', '--port', '0', '--json'], {
  stdio: ['ignore', 'pipe', 'inherit'],
})
try {
  const [line] = await once(createInterface({ input: child.stdout }), 'line')
  const { url, home, person } = JSON.parse(line) as Announced
  const server = { url, person, token: readFileSync(join(home, 'token'), 'utf8').trim() }
  const postern = await connectPostern(server)
  const shots = await shotsOf(postern)
  await postern.close()
  mkdirSync(FOLDER, { recursive: true })
  const browser = await chromium.launch({ executablePath: CHROMIUM, args: ['--no-sandbox', '--disable-gpu'] })
  for (const shot of shots) await take(browser, server, shot)
  await browser.close()
} finally {
  child.kill()
  await once(child, 'exit')
}

async function shotsOf(postern: Postern): Promise<readonly Shot[]> {
  const [decision] = await postern.decisions.list({})
  const [gate] = await postern.gates.list({})
  const [space] = await postern.spaces.list({})
  const [plan] = await postern.plans.list({})
  const [service] = (await postern.services.list({})).toSorted((one, other) => other.events - one.events)
  const topics = (await postern.ledger.topics({})).filter(({ role }) => role === 'work' || role === 'inbound')
  const topic = topics.toSorted((one, other) => other.sequence - one.sequence)[0]
  const seen = (await postern.inbox.list({ which: 'delivered' })).items[0]
  const bus = (await postern.bus.list({})).find(({ task_id }) => task_id !== undefined)
  return [
    { name: 'inbox', path: '/inbox', keys: ['j', 'j', 'j', 'j', 'j'] },
    { name: 'inbox-dark', path: '/inbox', theme: 'dark', keys: ['j', 'j', 'j', 'j', 'j'] },
    { name: 'inbox-phone', path: '/inbox', width: 380 },
    { name: 'compose', path: '/inbox', keys: ['c'], type: 'qu' },
    { name: 'search', path: '/inbox', keys: ['Control+k'], type: 'release' },
    { name: 'keys', path: '/inbox', keys: ['?'] },
    { name: 'decision', path: `/decisions/${decision?.id}`, keys: ['2'] },
    { name: 'gates', path: `/gates/${gate?.id}` },
    { name: 'spaces', path: `/spaces/${space?.id}` },
    { name: 'bus', path: `/bus/${bus?.project_id}/${bus?.task_id}` },
    { name: 'bus-issues', path: `/bus/${bus?.project_id}/${bus?.task_id}?view=graph` },
    { name: 'plans', path: `/plans/${plan?.id}` },
    { name: 'plans-calendar', path: '/plans?view=calendar' },
    { name: 'agents', path: '/agents/quinn' },
    { name: 'trace', path: `/trace/${seen?.id}` },
    { name: 'ledger', path: `/ledger/${topic?.id}`, keys: ['y'] },
    { name: 'services', path: `/services/${service?.id}` },
    { name: 'metrics', path: '/metrics' },
    { name: 'doctor', path: '/doctor' },
  ]
}

interface Server {
  readonly url: string
  readonly token: string
  readonly person: string
}

async function take(browser: Browser, server: Server, shot: Shot): Promise<void> {
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

async function signIn({ url, token, person }: Server): Promise<string> {
  const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' }
  const body = JSON.stringify({ person })
  const response = await fetch(`${url}${SIGN_INS_PATH}`, { method: 'POST', headers, body })
  return ((await response.json()) as { readonly path: string }).path
}
