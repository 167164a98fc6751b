import { cpSync } from 'node:fs'
import { type BrowserContext, type BrowserContextOptions, chromium, type Page } from 'playwright-core'
import { describe, inject, onTestFinished } from 'vitest'
import { lazy } from '../../src/kit/pure/lazy.ts'
import { SIGN_INS_PATH } from '../../src/model/network/paths.ts'
import { describeProgram } from '../helpers/binaries.ts'
import { ask, type ServeProcess, startServe } from '../helpers/http-server.ts'
import { needs } from '../helpers/needs.ts'
import { fastFolder, makeFastFolder, removeFolder } from '../helpers/temp.ts'
import './global-browser.ts'
import { DEAD_MACHINE_MS } from '../helpers/patience.ts'
import { joinScene, playScene, type Scene } from './scene.ts'

export const NEEDS_CHROMIUM = needs(inject('chromium') === '' ? describeProgram('chromium') : undefined)

/** Tests in a browser. */
export const describePage = (name: string, state: () => void) => describe(name, NEEDS_CHROMIUM, state)

/** It must reach nothing but the server of the test. */
const FLAGS = [
  '--no-sandbox',
  '--disable-gpu',
  '--disable-quic',
  '--no-first-run',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
]

/** One browser for all tests of a worker. It ends with the worker: nobody is left at its pipe. */
const openBrowser = lazy(() => chromium.launch({ executablePath: inject('chromium'), headless: true, args: FLAGS }))

export interface TestPage {
  readonly page: Page
  readonly context: BrowserContext
  /** Every address that the page asked for. */
  readonly requests: string[]
  /** What went wrong in the page: exceptions, and what its policy refused. */
  readonly faults: string[]
}

/** Opens the page as a person does who has followed the link of `postern ui`. */
export async function openPage(
  server: Pick<ServeProcess, 'url' | 'token'>,
  path = '/ui/inbox',
  options: BrowserContextOptions & { readonly person?: string } = {},
): Promise<TestPage> {
  const { person = 'rosa', ...contextOptions } = options
  const page = await openBlank(contextOptions)
  const context = page.context()
  const [requests, faults]: [string[], string[]] = [[], []]
  page.on('request', (request) => requests.push(request.url()))
  page.on('pageerror', (error) => faults.push(error.message))
  page.on('console', (message) => {
    if (/Content Security Policy|Trusted Type|Refused to/i.test(message.text())) faults.push(message.text())
  })
  await context.request.get(`${server.url}${await signInPath(server, person)}`, { maxRedirects: 0 })
  await page.goto(`${server.url}${path}`)
  await isLive(page)
  return { page, context, requests, faults }
}

/** An empty page of a browser that knows nobody. */
export async function openBlank(options: BrowserContextOptions = {}): Promise<Page> {
  const browser = await openBrowser()
  const context = await browser.newContext({ viewport: { width: 1280, height: 800 }, ...options })
  onTestFinished(() => context.close())
  const page = await context.newPage()
  page.setDefaultTimeout(DEAD_MACHINE_MS)
  return page
}

export async function signInPath({ url, token }: Pick<ServeProcess, 'url' | 'token'>, person: string): Promise<string> {
  const { body } = await ask(url, `POST ${SIGN_INS_PATH}`, { token, body: { person } })
  return body.path
}

/** The page hears what happens. */
export async function isLive(page: Page): Promise<void> {
  await page.locator('.connection[data-state=live]').first().waitFor({ state: 'attached' })
}

interface PlayedScene extends Pick<Scene, 'decisionId' | 'gateId'> {
  readonly home: string
}

let played: Promise<PlayedScene> | undefined

/** A server whose store holds the scene. The scene is played once for a worker; every test gets a copy of its home. */
export async function openScene(): Promise<{ readonly server: PageServer; readonly scene: Scene }> {
  played ??= playOnce()
  const { home: from, ...ids } = await played
  const home = fastFolder()
  cpSync(from, home, { recursive: true })
  const server = await startPageServer({ home })
  const scene = await joinScene(server, ids)
  onTestFinished(() => scene.close())
  return { server, scene }
}

async function playOnce(): Promise<PlayedScene> {
  const home = makeFastFolder()
  process.once('exit', () => removeFolder(home))
  const server = await startServe({ home })
  const { decisionId, gateId, close } = await playScene(server)
  await close()
  await server.stop()
  return { home, decisionId, gateId }
}

export interface PageServer extends ServeProcess {
  readonly home: string
}

/** A server of its own, in a home of its own. */
export async function startPageServer(
  options: { readonly home?: string; readonly port?: string } = {},
): Promise<PageServer> {
  const home = options.home ?? fastFolder()
  const server = await startServe({ home, ...(options.port !== undefined && { port: options.port }) })
  return { ...server, home }
}
