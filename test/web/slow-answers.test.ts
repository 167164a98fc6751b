import { appendFileSync, mkdirSync } from 'node:fs'
import { join } from 'node:path'
import type { Page, Route } from 'playwright-core'
import { expect, it } from 'vitest'
import { createSignal } from '../helpers/signal.ts'
import { FULL } from '../helpers/tier.ts'
import { describePage, isLive, openPage, openScene } from './harness.ts'

/** Keeps the first answer to such a request back until it is let go; the page has asked when `asked` fires. */
async function holdBack(page: Page, isMeant: (url: URL) => boolean) {
  const [asked, released] = [createSignal<void>(), createSignal<void>()]
  let isFirst = true
  const handle = async (route: Route) => {
    if (!isFirst) return route.continue()
    isFirst = false
    const response = await route.fetch()
    asked.fire()
    await released.fired
    await route.fulfill({ response }).catch(() => {})
  }
  await page.route(isMeant, handle)
  return { asked: asked.fired, release: () => released.fire() }
}

const scrollTo = (page: Page, top: number) =>
  page.locator('main .virtual-list').evaluate((list: { scrollTop: number }, to) => {
    list.scrollTop = to
  }, top)

describePage('answers that take their time', () => {
  it('lose no post of a space: what is new is loaded although more of the past is wanted as well', FULL, async () => {
    const { server, scene } = await openScene()
    for (let at = 0; at < 220; at++) await scene.rosa.spaces.post({ id: 'release', content: `Post ${at}` })
    const { page } = await openPage(server, '/ui/spaces/release')
    await page.getByText('Post 219', { exact: true }).waitFor()
    const earlier = await holdBack(page, (url) => url.searchParams.has('before'))
    await scrollTo(page, 0)
    await earlier.asked
    const told = page.waitForResponse((answer) => answer.url().includes('after='))
    await scene.rosa.spaces.post({ id: 'release', content: 'It came meanwhile.' })
    // Every movement near the beginning asks for more of the past.
    for (let times = 0; times < 20; times++) await scrollTo(page, times % 2 === 0 ? 50 : 0)
    earlier.release()
    await told
    await scrollTo(page, 1e9)
    await page.getByText('It came meanwhile.', { exact: true }).waitFor()
  })

  it('double no entry of a bus, though more of the past was loaded while the page waited for it', async () => {
    const { server, scene } = await openScene()
    const folder = join(server.home, 'run-agent', 'shop')
    mkdirSync(folder, { recursive: true })
    const lines = Array.from({ length: 600 }, (_, at) => `[2026-01-01 00:00:00] FACT: Line ${at}\n`)
    appendFileSync(join(folder, 'PROJECT-MESSAGE-BUS.md'), lines.join(''))
    const { page } = await openPage(server)
    const waited = await holdBack(page, ({ pathname }) => pathname === '/api/v1/bus/wait')
    await page.goto(`${server.url}/ui/bus/shop`)
    await page.getByText('Line 599', { exact: true }).waitFor()
    await scene.milo.bus.post({ project_id: 'shop', type: 'FACT', body: 'It came once.' })
    await waited.asked
    const loaded = page.waitForResponse((answer) => answer.url().includes('tail=2500'))
    await scrollTo(page, 0)
    await loaded
    waited.release()
    await scene.milo.bus.post({ project_id: 'shop', type: 'FACT', body: 'The next one.' })
    await scrollTo(page, 1e9)
    await page.getByText('The next one.', { exact: true }).waitFor()
    expect(await page.getByText('It came once.', { exact: true }).count()).toBe(1)
  })

  it('show no entries of the project on a bus that is shown alone again', async () => {
    const { server } = await openScene()
    const { page } = await openPage(server, '/ui/bus/shop/receipts')
    const shown = page.locator('main [role=log] .virtual-row')
    await page.getByText('Run ended.').waitFor()
    const alone = await shown.count()
    const merged = await holdBack(page, ({ searchParams }) => searchParams.get('merged') === 'true')
    await page.getByRole('button', { name: 'With project' }).click()
    await merged.asked
    const again = page.waitForResponse((answer) => answer.url().includes('/bus') && !answer.url().includes('merged'))
    await page.getByRole('button', { name: 'Task alone' }).click()
    await again
    merged.release()
    await page.unrouteAll({ behavior: 'wait' })
    await expect.poll(() => shown.count()).toBe(alone)
  })
})

describePage('a list of buses', () => {
  it('has a new bus by itself', async () => {
    const { server, scene } = await openScene()
    const { page } = await openPage(server)
    await page.clock.install()
    await page.goto(`${server.url}/ui/bus`)
    await isLive(page)
    await page.getByRole('link', { name: /receipts/ }).waitFor()
    await scene.milo.bus.post({ project_id: 'brand-new', type: 'FACT', body: 'The first.' })
    await page.clock.fastForward(6_000)
    await page.getByRole('link', { name: /brand-new/ }).waitFor()
  })
})
