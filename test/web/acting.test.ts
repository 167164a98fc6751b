import { join } from 'node:path'
import { expect, it } from 'vitest'
import { postern } from '../helpers/command.ts'
import { FULL } from '../helpers/tier.ts'
import { describePage, openPage, openScene } from './harness.ts'

describePage('from the page', () => {
  it('a plan is paused, resumed and run', FULL, async () => {
    const { server, scene } = await openScene()
    const [plan] = await scene.admin.plans.list({ agent: 'milo' })
    const look = async () => scene.admin.plans.show({ id: plan?.id ?? '' })
    const { page } = await openPage(server, `/ui/plans/${plan?.id}`)
    await page.getByRole('button', { name: /^Pause/ }).click()
    await expect.poll(async () => (await look()).pausedAt).not.toBeNull()
    await page.getByRole('button', { name: /^Resume/ }).click()
    await expect.poll(async () => (await look()).pausedAt).toBeNull()
    const { runs } = await look()
    await page.getByRole('button', { name: 'Run now' }).click()
    await expect.poll(async () => (await look()).runs).toBe(runs + 1)
  })

  it('a service is given a new key, which is shown once, and an event of it is brought again', async () => {
    const { server, scene } = await openScene()
    const service = (await scene.rosa.services.list({})).find(({ name }) => name === 'ci')
    const { page } = await openPage(server, `/ui/services/${service?.id}`)
    await page.getByRole('button', { name: 'Replay' }).first().click()
    await page.getByText('replay', { exact: true }).waitFor()
    expect(await scene.rosa.services.events({ id: service?.id ?? '' })).toHaveLength(4)

    await page.getByRole('button', { name: 'New key' }).click()
    const keys = page.getByRole('dialog', { name: 'Keys of ci' })
    const key = (await keys.locator('.command code').first().textContent()) ?? ''
    await expect(scene.admin.services.trigger({ agent: 'quinn', proof: { key }, payload: 1 })).resolves.toMatchObject({
      duplicate: false,
    })
    await page.getByRole('button', { name: 'I have them' }).click()
    expect(await page.getByText(key).count()).toBe(0)
  })

  it('the ledger is verified, and a proof of it that others can check is exported', async () => {
    const { server, scene } = await openScene()
    const [topic] = await scene.rosa.ledger.topics({ role: 'work' })
    const { page } = await openPage(server, `/ui/ledger/${topic?.id}`)
    await page.getByRole('button', { name: 'Verify all' }).click()
    await page.getByText('Sound: 1 entry').waitFor()
    await expect.poll(() => page.locator('.verdict-mark.is-sound').count()).toBeGreaterThan(5)
    const [download] = await Promise.all([
      page.waitForEvent('download'),
      page.getByRole('button', { name: 'Export' }).click(),
    ])
    const file = join(server.home, 'proof.jsonl')
    await download.saveAs(file)
    expect(await postern({ home: server.home }, 'ledger', 'verify', file)).toMatchObject({ exit: 0 })
  })
})
