import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { expect, it } from 'vitest'
import { formatRedirect } from '../../src/cli/commands/ui/browser.ts'
import { verifies } from '../scenarios/verifies.ts'
import { describePage, isLive, openBlank, openScene, signInPath } from './harness.ts'

describePage('the private file that "postern ui" opens', () => {
  it('leads a browser to the page and signs the person in', async () => {
    verifies('page.sign-in-file')
    const { server } = await openScene()
    const file = join(server.home, 'sign-in.html')
    writeFileSync(file, formatRedirect(`${server.url}${await signInPath(server, 'rosa')}`), { mode: 0o600 })
    const page = await openBlank()
    await page.goto(pathToFileURL(file).href)
    await page.waitForURL(`${server.url}/ui/**`)
    await isLive(page)
    expect(page.url()).not.toContain('ticket')
  })
})
