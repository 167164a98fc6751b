import { expect, it } from 'vitest'
import { PATIENTLY } from '../helpers/patience.ts'
import { createSignal } from '../helpers/signal.ts'
import { FULL } from '../helpers/tier.ts'
import { describePage, openPage, openScene } from './harness.ts'

async function openInbox() {
  const { server, scene } = await openScene()
  const opened = await openPage(server)
  await opened.page.getByRole('option').first().waitFor()
  const stateOf = async (subject: string) => {
    const { items } = await scene.rosa.inbox.list({ agent: 'rosa', which: 'all', limit: 100 })
    return items.find((item) => item.subject === subject)?.state
  }
  return { ...opened, server, scene, stateOf }
}

/** For so long a step can be taken back. */
const TOAST_MS = 6_000
const ALERT = 'The staging database is at 92 % of its disk'
const MAIL = 'Checkout tests are green again'

describePage('the inbox', () => {
  it('shows what waits, counts it in the title, and follows what comes', async () => {
    const { page, scene } = await openInbox()
    await expect.poll(() => page.title()).toMatch(/^\(\d+\) My inbox · Postern$/)
    const before = Number(/\d+/.exec(await page.title())?.[0])
    await scene.vera.inbox.push({ to: ['rosa'], content: 'It is live.', subject: 'A new one' })
    await page.getByRole('option', { name: /A new one/ }).waitFor()
    await expect.poll(() => page.title()).toContain(`(${before + 1})`)
  })

  it('takes back what was done for some seconds, and tells the server afterwards', async () => {
    const { page, stateOf } = await openInbox()
    await page.clock.install()
    await page.reload()
    await page.getByRole('option', { name: new RegExp(ALERT) }).click()
    await page.keyboard.press('e')
    await page.getByRole('option', { name: new RegExp(ALERT) }).waitFor({ state: 'detached' })
    await page.keyboard.press('u')
    await page.getByRole('option', { name: new RegExp(ALERT) }).waitFor()
    expect(await stateOf(ALERT)).not.toBe('acted')

    await page.getByRole('option', { name: new RegExp(MAIL) }).click()
    await page.keyboard.press('e')
    await page.getByRole('option', { name: new RegExp(MAIL) }).waitFor({ state: 'detached' })
    await page.clock.fastForward(TOAST_MS)
    await expect.poll(() => stateOf(MAIL), PATIENTLY).toBe('acted')
    expect(await stateOf(ALERT)).not.toBe('acted')
  })

  it('has done what was done when it is left before that can no longer be taken back', FULL, async () => {
    const { page, stateOf } = await openInbox()
    expect(await stateOf(MAIL)).toBe('pending')
    await page.getByRole('option', { name: new RegExp(MAIL) }).click()
    await page.keyboard.press('e')
    await page.getByText('Done', { exact: true }).last().waitFor()
    await page.reload()
    await expect.poll(() => stateOf(MAIL), PATIENTLY).toBe('acted')
  })

  it('takes back the very step whose button is pressed', FULL, async () => {
    const { page } = await openInbox()
    const option = (subject: string) => page.getByRole('option', { name: new RegExp(subject) })
    for (const subject of [ALERT, MAIL]) {
      await option(subject).click()
      await page.keyboard.press('e')
      await option(subject).waitFor({ state: 'detached' })
    }
    await page.locator('.toast').first().getByRole('button', { name: /Undo/ }).click()
    await option(ALERT).waitFor()
    expect(await option(MAIL).count()).toBe(0)
  })

  it('does not bring back what leaves it while it is being loaded', FULL, async () => {
    const { page, scene } = await openInbox()
    const mail = page.getByRole('option', { name: new RegExp(MAIL) })
    await mail.waitFor()
    const { items } = await scene.rosa.inbox.list({ agent: 'rosa', which: 'open', limit: 100 })
    const id = items.find(({ subject }) => subject === MAIL)?.id ?? ''
    const [isAsked, answer] = [createSignal(), createSignal()]
    await page.route(
      (url) => url.pathname === '/api/v1/inbox' && url.searchParams.get('which') === 'open',
      async (route) => {
        const response = await route.fetch()
        isAsked.fire()
        await answer.fired
        await route.fulfill({ response })
      },
    )
    await scene.vera.inbox.push({ to: ['rosa'], content: 'It is live.', subject: 'A new one' })
    await isAsked.fired
    await scene.rosa.inbox.read({ agent: 'rosa', ids: [id] })
    await scene.rosa.inbox.ack({ agent: 'rosa', ids: [id] })
    await mail.waitFor({ state: 'detached' })
    answer.fire()
    await page.getByRole('option', { name: /A new one/ }).waitFor()
    expect(await mail.count()).toBe(0)
  })

  it('shows as unread what the server could not be told of', FULL, async () => {
    const { page } = await openInbox()
    await page.route('**/api/v1/inbox/read', (route) => route.fulfill({ status: 500, body: '' }))
    const isRefused = page.waitForResponse('**/api/v1/inbox/read')
    const mail = page.getByRole('option', { name: new RegExp(MAIL) })
    await mail.click()
    await isRefused
    await expect.poll(() => mail.evaluate((row) => row.classList.contains('is-unread'))).toBe(true)
  })

  it('snoozes, and brings back what was snoozed', async () => {
    const { page, stateOf } = await openInbox()
    await page.getByRole('option', { name: new RegExp(ALERT) }).click()
    await page.keyboard.press('s')
    await page.keyboard.press('1')
    await page.getByText(/Snoozed until in an hour/).waitFor()
    await expect.poll(() => stateOf(ALERT)).toBe('held')
    await page.getByRole('button', { name: 'Snoozed' }).click()
    await page.getByRole('option', { name: new RegExp(ALERT) }).waitFor()
    await page.keyboard.press('u')
    await expect.poll(() => stateOf(ALERT)).toBe('pending')
  })

  it('deals with many at once', async () => {
    const { page } = await openInbox()
    for (const key of ['j', 'j', 'x', 'j', 'x']) await page.keyboard.press(key)
    await page.getByText('2 selected').waitFor()
    await page.keyboard.press('e')
    await page.getByText('2 done').waitFor()
  })

  it('replies in the thread', async () => {
    const { page, scene } = await openInbox()
    await page.getByRole('option', { name: new RegExp(ALERT) }).click()
    await page.getByRole('heading', { name: ALERT }).waitFor()
    await page.keyboard.press('r')
    await page.keyboard.type('Drop them.')
    await page.keyboard.press('Control+Enter')
    await page.getByText('Replied to Milo').waitFor()
    const { items } = await scene.milo.inbox.list({ agent: 'milo' })
    expect(items.find(({ content }) => content === 'Drop them.')).toMatchObject({
      subject: `Re: ${ALERT}`,
      from: { id: 'rosa', verified: true },
    })
  })

  it('finds messages by their words, and screens by their names', async () => {
    const { page } = await openInbox()
    await page.keyboard.press('Control+k')
    await page.keyboard.type('staging datab')
    await page.getByRole('listbox', { name: 'Findings' }).getByText(ALERT).waitFor()
    await page.keyboard.press('Enter')
    await page.getByRole('heading', { name: ALERT }).waitFor()
    await page.keyboard.press('g')
    await page.keyboard.press('d')
    await page.getByRole('heading', { name: 'Decisions', level: 1 }).waitFor()
    await page.keyboard.press('?')
    await page.getByRole('dialog', { name: 'Keys' }).getByText('Write a message').waitFor()
  })
})
