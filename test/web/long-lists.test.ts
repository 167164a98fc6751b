import type { Page } from 'playwright-core'
import { expect, it } from 'vitest'
import { connectPostern } from '../../src/client/connect.ts'
import { PATIENTLY } from '../helpers/patience.ts'
import { verifies } from '../scenarios/verifies.ts'
import { describePage, openPage, startPageServer } from './harness.ts'

const COUNT = 10_000
/** A page that works longer on a frame stutters visibly. */
const SMOOTH_MS = 50
const FRAMES = 120

/** Scrolls by a screen each frame and tells how many rows there are then. */
const SCROLL = `new Promise((resolve) => {
  const list = document.querySelector('.inbox-list')
  let frames = 0
  const step = () => {
    list.scrollTop += 700
    if (++frames < ${FRAMES}) requestAnimationFrame(step)
    else resolve(document.querySelectorAll('.inbox-row').length)
  }
  requestAnimationFrame(step)
})`

/** The CPU time of the page so far, which is the same on a busy machine. */
async function watchWork(page: Page): Promise<() => Promise<number>> {
  const session = await page.context().newCDPSession(page)
  await session.send('Performance.enable', { timeDomain: 'threadTicks' })
  return async () => {
    const { metrics } = await session.send('Performance.getMetrics')
    const { value = Number.NaN } = metrics.find(({ name }) => name === 'TaskDuration') ?? {}
    return value * 1000
  }
}

describePage('an inbox of 10,000 messages', () => {
  it('is there whole, scrolls without stutter, and is gone through by keys', async () => {
    verifies('page.long-lists')
    const server = await startPageServer()
    const admin = await connectPostern(server)
    await admin.agents.add({ id: 'rosa', kind: 'human' })
    for (let sent = 0; sent < COUNT; sent += 1_000) {
      const messages = Array.from({ length: 1_000 }, (_, at) => ({
        to: ['rosa'],
        subject: `Message ${sent + at + 1}`,
        content: 'Some words that say what it is about, as long as such words usually are.',
      }))
      await admin.inbox.pushMany({ messages })
    }
    const { page } = await openPage(server)
    await expect.poll(() => page.locator('.inbox-head').first().textContent(), PATIENTLY).toContain(String(COUNT))
    const workMs = await watchWork(page)
    const before = await workMs()
    expect(await page.evaluate(SCROLL)).toBeLessThan(60)
    expect(((await workMs()) - before) / FRAMES).toBeLessThan(SMOOTH_MS)
    await page.evaluate('document.querySelector(".inbox-list").scrollTop = 1e9')
    await page.getByRole('option', { name: /Message 1 Some words/ }).waitFor()
    for (let steps = 0; steps < 30; steps++) await page.keyboard.press('j')
    await page.getByRole('heading', { name: `Message ${COUNT - 29}`, exact: true }).waitFor()
    await admin.close()
  })
})

describePage('a list of many agents', () => {
  it('draws only what is seen, and asks only for the agents that an event names', async () => {
    verifies('page.long-lists')
    const server = await startPageServer()
    const admin = await connectPostern(server)
    await admin.agents.add({ id: 'rosa', kind: 'human' })
    for (let at = 0; at < 300; at++) await admin.agents.add({ id: `agent-${String(at).padStart(3, '0')}` })
    const { page, requests } = await openPage(server, '/ui/agents')
    await page.getByRole('link', { name: /agent-003/ }).waitFor()
    expect(await page.locator('main .row').count()).toBeLessThan(60)
    const listings = () => requests.filter((url) => new URL(url).pathname === '/api/v1/agents').length
    const before = listings()
    for (let at = 0; at < 3; at++) await admin.inbox.push({ to: ['agent-003'], content: `No. ${at}` })
    await page.getByRole('link', { name: /agent-003.*3 unread/ }).waitFor()
    expect(listings()).toBe(before)
    await page.locator('main .virtual-list').evaluate((list: { scrollTop: number }) => {
      list.scrollTop = 1e9
    })
    await page.getByRole('link', { name: /agent-299/ }).waitFor()
    await admin.close()
  })
})
