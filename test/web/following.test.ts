import { expect, it } from 'vitest'
import { FULL } from '../helpers/tier.ts'
import { verifies } from '../scenarios/verifies.ts'
import { describePage, isLive, openPage, openScene, startPageServer } from './harness.ts'
import type { Scene } from './scene.ts'

/** More than a server is silent for, as it says now and then that it is there. */
const SILENCE_MS = 60_000

async function drain(agent: Scene['quinn'], id: string): Promise<void> {
  const { offer } = await agent.inbox.drain({ agent: id, maxMessages: 100 })
  if (offer) await agent.inbox.confirm({ offerId: offer.id, evidence: 'the next event', printed: true })
}

describePage('the page follows', () => {
  it('a message to a space: its ticks turn as agents drain', async () => {
    verifies('page.follow')
    const { server, scene } = await openScene()
    const { page } = await openPage(server)
    await page.keyboard.press('c')
    await page.getByLabel('To', { exact: true }).fill('release')
    await page.getByRole('option', { name: /Release 4.2/ }).waitFor()
    await page.keyboard.press('Enter')
    await page.getByRole('textbox', { name: 'Message' }).fill('We ship at four.')
    await page.keyboard.press('Control+Enter')

    const post = page.locator('.post', { hasText: 'We ship at four.' })
    await post.waitFor()
    const tick = (agent: string) => post.locator(`.tick[data-agent=${agent}]`)
    await expect.poll(() => tick('quinn').getAttribute('data-state')).toBe('pending')
    await drain(scene.quinn, 'quinn')
    await expect.poll(() => tick('quinn').getAttribute('data-state')).toBe('seen')
    expect(await tick('vera').getAttribute('data-state')).toBe('pending')
    await drain(scene.vera, 'vera')
    await expect.poll(() => tick('vera').getAttribute('data-state')).toBe('seen')
  })

  it('a message that nobody drains: its trace says so, until somebody does', FULL, async () => {
    verifies('page.follow')
    const { server, scene } = await openScene()
    const { id } = await scene.rosa.inbox.push({ to: ['vera'], content: 'Are you there?' })
    const { page } = await openPage(server, `/ui/trace/${id}`)
    await page.getByText(/vera has not drained its inbox since it came/).waitFor()
    await page.getByText('not seen yet').waitFor()
    await drain(scene.vera, 'vera')
    await page.getByText(/vera has seen it/).waitFor()
  })

  it('entries of a bus as they come', async () => {
    const { server, scene } = await openScene()
    const { page } = await openPage(server, '/ui/bus/shop/receipts')
    await page.getByText('Run ended.').waitFor()
    await scene.milo.bus.post({
      project_id: 'shop',
      task_id: 'receipts',
      type: 'FACT',
      body: 'It came while you looked.',
    })
    await page.getByText('It came while you looked.').waitFor()
  })

  it('says that the server is lost where it is silent, and goes on when it speaks again', FULL, async () => {
    const server = await startPageServer()
    await server.ask('POST /api/v1/agents', { body: { id: 'rosa', kind: 'human' } })
    const { page } = await openPage(server)
    await page.clock.install()
    await page.reload()
    await isLive(page)
    server.child.kill('SIGSTOP')
    try {
      await page.clock.fastForward(SILENCE_MS + 1_000)
      await page.locator('.connection[data-state=lost]').first().waitFor()
    } finally {
      server.child.kill('SIGCONT')
    }
    await isLive(page)
  })

  it('goes on after the server was started again, without being loaded anew', async () => {
    verifies('page.resume')
    const { server, scene } = await openScene()
    const { page } = await openPage(server)
    await page.evaluate('globalThis.isSamePage = true')
    await scene.close()

    await server.stop()
    await page.locator('.connection[data-state=lost]').first().waitFor()
    await page.getByText(/The server does not answer/).waitFor()
    // A screen that is first opened now cannot be fetched.
    await page.keyboard.press('g')
    await page.keyboard.press('m')
    await page.getByRole('alert').waitFor()
    const again = await startPageServer({ home: server.home, port: new URL(server.url).port })
    await again.ask('POST /api/v1/inbox', {
      body: { to: ['rosa'], content: 'Back again.', subject: 'After the restart' },
    })
    await page.getByRole('region', { name: 'Plots' }).waitFor()
    // Its style sheet was lost as well.
    expect(await page.evaluate('getComputedStyle(document.querySelector(".metrics")).rowGap')).toBe('18px')
    await page.keyboard.press('g')
    await page.keyboard.press('i')
    await page.getByRole('option', { name: /After the restart/ }).waitFor()
    await isLive(page)
    expect(await page.evaluate('globalThis.isSamePage')).toBe(true)
  })
})
