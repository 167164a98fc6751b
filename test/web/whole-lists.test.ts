import type { Page } from 'playwright-core'
import { expect, it } from 'vitest'
import { FULL } from '../helpers/tier.ts'
import { describePage, openPage, openScene } from './harness.ts'

async function openInScene() {
  const { server, scene } = await openScene()
  return { server, scene, ...(await openPage(server)) }
}

/** As where so much has ended that a list of everything is full before it comes to what is open. */
async function fillWithEnded(page: Page, room: 'gates' | 'decisions'): Promise<void> {
  await page.route(
    (url) => url.pathname === `/api/v1/${room}` && url.searchParams.get('all') === 'true',
    async (route) => {
      const answer = await route.fetch()
      const items = (await answer.json()) as readonly { readonly state: string }[]
      await route.fulfill({ response: answer, json: items.filter(({ state }) => state !== 'open') })
    },
  )
}

describePage('a list', () => {
  it('holds every open gate, however many have ended since', FULL, async () => {
    const { server, page } = await openInScene()
    await fillWithEnded(page, 'gates')
    await page.goto(`${server.url}/ui/gates`)
    await page.getByText('Nobody deploys to production').waitFor()
    await page.getByRole('button', { name: /^Waived/ }).click()
    await page.getByText('Write a test for the import.').waitFor()
  })

  it('holds every open question, however many were answered since', async () => {
    const { server, page } = await openInScene()
    await fillWithEnded(page, 'decisions')
    await page.goto(`${server.url}/ui/decisions`)
    await page.getByRole('link', { name: /Which way do we send receipts/ }).waitFor()
  })

  it('holds what was done, however much was only seen since', async () => {
    const { server, page, scene } = await openInScene()
    const { id } = await scene.vera.inbox.push({ to: ['rosa'], subject: 'Done long ago', content: '…' })
    await scene.rosa.inbox.read({ agent: 'rosa', ids: [id] })
    await scene.rosa.inbox.ack({ agent: 'rosa', ids: [id] })
    const later = Array.from({ length: 520 }, (_, at) => ({ to: ['rosa'], content: `No. ${at}`, priority: 4 as const }))
    await scene.vera.inbox.pushMany({ messages: later })
    const { items } = await scene.rosa.inbox.list({ agent: 'rosa', which: 'pending', limit: 1_000 })
    await scene.rosa.inbox.read({ agent: 'rosa', ids: items.map((item) => item.id) })
    await page.goto(`${server.url}/ui/inbox?view=done`)
    await page.getByRole('option', { name: /Done long ago/ }).waitFor()
  })

  it('of what was said says that it could not be loaded, and is loaded on a second try', FULL, async () => {
    const { server, page } = await openInScene()
    const isHistory = (url: URL) => url.pathname === '/api/v1/spaces/release/posts'
    await page.route(isHistory, (route) => route.fulfill({ status: 500, body: '' }))
    await page.goto(`${server.url}/ui/spaces/release`)
    await page
      .getByRole('alert')
      .getByText(/The server answers with 500/)
      .waitFor()
    expect(await page.getByText('Nothing was said yet').count()).toBe(0)
    await page.unroute(isHistory)
    await page.getByRole('button', { name: 'Try again' }).click()
    await page.getByText('Good morning. Where are we?').waitFor()
    expect(await page.getByRole('alert').count()).toBe(0)
  })
})
