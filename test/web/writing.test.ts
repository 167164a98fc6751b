import type { Page } from 'playwright-core'
import { expect, it } from 'vitest'
import { FULL } from '../helpers/tier.ts'
import { describePage, openPage, openScene } from './harness.ts'

const TEXT = 'We ship at four.'

async function openCompose() {
  const { server, scene } = await openScene()
  const { page } = await openPage(server)
  await page.getByRole('option').first().waitFor()
  await page.keyboard.press('c')
  const dialog = page.getByRole('dialog', { name: 'New message' })
  await dialog.getByRole('textbox', { name: 'Message' }).fill(TEXT)
  const isSent = async () => (await scene.admin.inbox.search({ query: 'ship at four' })).length > 0
  return { page, dialog, scene, isSent }
}

/** The middle of what lies left of the dialog. */
async function moveBeside(page: Page): Promise<void> {
  await page.mouse.move(40, 400, { steps: 4 })
}

describePage('whoever writes a message', () => {
  it('is told that it goes to nobody yet, instead of being sent it', async () => {
    const { page, dialog, isSent } = await openCompose()
    await page.keyboard.press('Control+Enter')
    await dialog.getByRole('alert').getByText('The message goes to nobody yet.').waitFor()
    expect(await isSent()).toBe(false)
  })

  it('is told that a name which was typed and not chosen is nobody yet', FULL, async () => {
    const { page, dialog, isSent } = await openCompose()
    await dialog.getByLabel('To', { exact: true }).fill('milo')
    await page.keyboard.press('Enter')
    await dialog.getByLabel('To', { exact: true }).fill('justin')
    await page.keyboard.press('Control+Enter')
    await dialog.getByRole('alert').getByText('“justin” is nobody yet.').waitFor()
    expect(await isSent()).toBe(false)

    await dialog.getByLabel('To', { exact: true }).fill('')
    await page.keyboard.press('Control+Enter')
    await page.getByText('Sent to milo').waitFor()
    expect(await isSent()).toBe(true)
  })

  it('keeps the text when it is marked and let go beside the dialog, or when that is pressed', async () => {
    const { page, dialog } = await openCompose()
    const field = dialog.getByRole('textbox', { name: 'Message' })
    const box = await field.boundingBox()
    await page.mouse.move((box?.x ?? 0) + 60, (box?.y ?? 0) + 20)
    await page.mouse.down()
    await moveBeside(page)
    await page.mouse.up()
    expect(await field.inputValue()).toBe(TEXT)
    await page.mouse.click(40, 400)
    expect(await field.inputValue()).toBe(TEXT)
  })

  it('closes only the addresses with the first Escape', FULL, async () => {
    const { page, dialog } = await openCompose()
    await dialog.getByLabel('To', { exact: true }).fill('mi')
    await dialog.getByRole('option', { name: /Milo/ }).waitFor()
    await page.keyboard.press('Escape')
    await dialog.getByRole('option', { name: /Milo/ }).waitFor({ state: 'hidden' })
    expect(await dialog.getByRole('textbox', { name: 'Message' }).inputValue()).toBe(TEXT)
    await page.keyboard.press('Escape')
    await dialog.waitFor({ state: 'detached' })
  })

  it('leaves what holds no text by a press beside it', FULL, async () => {
    const { page, dialog } = await openCompose()
    await dialog.getByRole('button', { name: 'Discard' }).click()
    await page.keyboard.press('?')
    await page.getByRole('dialog', { name: 'Keys' }).waitFor()
    await page.mouse.click(40, 400)
    await page.getByRole('dialog', { name: 'Keys' }).waitFor({ state: 'detached' })
  })
})
