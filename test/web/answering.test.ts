import { expect, it } from 'vitest'
import { verifies } from '../scenarios/verifies.ts'
import { describePage, openPage, openScene } from './harness.ts'

describePage('a person at the page', () => {
  it('answers a decision with the keyboard alone, and the drain of the waiting agent shows it', async () => {
    verifies('page.answer')
    const { server, scene } = await openScene()
    const { page, faults } = await openPage(server)
    await page.getByText('quinn asks: Which way').first().waitFor()

    await page.keyboard.press('j')
    await page.getByRole('heading', { name: 'Which way do we send receipts?', exact: true }).waitFor()
    await page.keyboard.press('Enter')
    await page.keyboard.press('2')
    await page.keyboard.press('m')
    await page.keyboard.type('You have until Thursday.')
    await page.keyboard.press('Control+Enter')

    await page.locator('.aftermath strong', { hasText: 'Move to our own queue' }).waitFor()
    const drained = await scene.quinn.inbox.drain({ agent: 'quinn' })
    const answer = drained.messages.find(({ ref }) => ref === `decision:${scene.decisionId}`)
    expect(answer?.content).toContain('resolved: option b')
    expect(answer?.content).toContain('You have until Thursday.')
    expect(await scene.rosa.decisions.show({ id: scene.decisionId })).toMatchObject({
      state: 'answered',
      answer: { by: 'rosa', verified: true, selected: 'b' },
    })
    await scene.quinn.inbox.confirm({ offerId: drained.offer?.id ?? '', evidence: 'the next event', printed: true })
    await page.getByText(/Quinn has seen the answer/).waitFor()
    expect(faults).toEqual([])
  })

  it('resolves a gate, with a reason that its agent is told', async () => {
    verifies('page.gate')
    const { server, scene } = await openScene()
    const { page } = await openPage(server, '/ui/gates')
    await page.getByText('Nobody deploys to production').click()
    await page.getByLabel(/Your reason/).fill('The notes are read.')
    await page.getByRole('button', { name: /^Resolve\b/ }).click()
    await page.getByText('Gate resolved: Milo is told').waitFor()

    const { gate } = await scene.rosa.gates.show({ id: scene.gateId })
    expect(gate).toMatchObject({ state: 'resolved', closedBy: 'rosa', closedReason: 'The notes are read.' })
    const told = await scene.milo.inbox.list({ agent: 'milo' })
    expect(told.items.some(({ content }) => content.includes('The notes are read.'))).toBe(true)
  })

  it('is told in words what is refused, and what to do', async () => {
    const { server } = await openScene()
    const { page } = await openPage(server, '/ui/decisions/dec_00000000000000000000000000')
    await page
      .getByRole('alert')
      .getByText(/There is no decision/)
      .waitFor()
  })
})
