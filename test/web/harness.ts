import { type Browser, type BrowserContext, type BrowserContextOptions, chromium, type Page } from 'playwright-core'
import { afterAll, describe, inject, onTestFinished } from 'vitest'
import { SIGN_INS_PATH } from '../../src/operations/routes.ts'
import { ask, type ServeProcess, startServe } from '../helpers/http-server.ts'
import { temporaryFolder } from '../helpers/temp.ts'
import './global-browser.ts'

/** Tests in a browser, where there is one. */
export const describePage = describe.skipIf(inject('chromium') === '')

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

let browser: Promise<Browser> | undefined

/** One browser for the tests of a file. */
export function useBrowser(): void {
  afterAll(async () => {
    const open = await browser
    browser = undefined
    await open?.close()
  })
}

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
  browser ??= chromium.launch({ executablePath: inject('chromium'), headless: true, args: FLAGS })
  const context = await (await browser).newContext({ viewport: { width: 1280, height: 800 }, ...contextOptions })
  onTestFinished(() => context.close())
  const page = await context.newPage()
  page.setDefaultTimeout(15_000)
  const [requests, faults]: [string[], string[]] = [[], []]
  page.on('request', (request) => requests.push(request.url()))
  page.on('pageerror', (error) => faults.push(error.message))
  page.on('console', (message) => {
    if (/Content Security Policy|Trusted Type|Refused to/i.test(message.text())) faults.push(message.text())
  })
  await page.goto(`${server.url}${await signInPath(server, person)}`)
  await page.goto(`${server.url}${path}`)
  await isLive(page)
  return { page, context, requests, faults }
}

async function signInPath({ url, token }: Pick<ServeProcess, 'url' | 'token'>, person: string): Promise<string> {
  const { body } = await ask(url, `POST ${SIGN_INS_PATH}`, { token, body: { person } })
  return body.path
}

/** The page hears what happens. */
export async function isLive(page: Page): Promise<void> {
  await page.locator('.connection[data-state=live]').first().waitFor({ state: 'attached' })
}

/** A server of its own, in a home of its own. */
export async function startPageServer(options: { readonly home?: string; readonly port?: string } = {}) {
  const home = options.home ?? temporaryFolder()
  const server = await startServe({ home, ...(options.port !== undefined && { port: options.port }) })
  return { ...server, home }
}
