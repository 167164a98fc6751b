import { readFileSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { describe, expect, it } from 'vitest'
import { processStart } from '../../../src/kit/node/processes.ts'
import { postern, posternJson } from '../../helpers/command.ts'
import { ask, startServe } from '../../helpers/http-server.ts'
import { openLocal } from '../../helpers/open-local.ts'
import { fastFolder } from '../../helpers/temp.ts'
import { warmPostern, warmPosternJson } from '../../helpers/warm-command.ts'
import { verifies } from '../verifies.ts'

interface Link {
  readonly person: string
  readonly url: string
  readonly expiresAt: string
}

async function enter(link: string): Promise<string> {
  const { origin, pathname, search } = new URL(link)
  const { status, headers } = await ask(origin, `GET ${pathname}${search}`)
  expect(status).toBe(303)
  return String(headers['set-cookie']?.[0]).split(';')[0] ?? ''
}

describe('postern ui', () => {
  it('gets the one person there is into the page, and says how to be one where there is none', async () => {
    verifies('page.sign-in')
    const home = fastFolder()
    await startServe({ home })
    const nobody = await postern({ home }, 'ui')
    expect(nobody).toMatchObject({ exit: 64, stderr: expect.stringContaining('agent add <name> --kind human') })
    await postern({ home }, 'agent', 'add', 'justin', '--kind', 'human', '--owner')
    const { person, url } = await posternJson<Link>({ home }, 'ui')
    expect(person).toBe('justin')
    const cookie = await enter(url)
    const { body } = await ask(url, 'GET /api/v1/caller', { headers: { cookie } })
    expect(body.caller).toMatchObject({ id: 'justin', kind: 'human', verified: true })
    // Without a screen nothing opens, and the link is told instead.
    expect((await postern({ home }, 'ui')).stdout).toMatch(/^http:\/\/127\.0\.0\.1:\d+\/ui\/enter\?ticket=\S+\n$/)
  })

  it('puts the link into a private file instead of on the argument list of the opener', async () => {
    verifies('page.sign-in')
    const [home, bin] = [fastFolder(), fastFolder()]
    await startServe({ home })
    await postern({ home }, 'agent', 'add', 'justin', '--kind', 'human')
    const said = join(bin, 'said')
    writeFileSync(join(bin, 'xdg-open'), `#!/bin/sh\necho "$@" >'${said}'\n`, { mode: 0o755 })
    const env = { PATH: `${bin}:${process.env['PATH']}`, DISPLAY: ':9' }
    const { stdout } = await postern({ home, env }, 'ui')
    expect(stdout).toBe('The page of justin is open in your browser.\n')
    const words = readFileSync(said, 'utf8').trim()
    expect(words).not.toContain('ticket')
    const file = fileURLToPath(words)
    expect(statSync(file).mode & 0o777).toBe(0o600)
    const [, url = ''] = /url=([^"]+)"/.exec(readFileSync(file, 'utf8')) ?? []
    expect(await enter(url)).toMatch(/^postern_/)
  })

  it('keeps whoever is in the page there when the server is started again', async () => {
    verifies('page.sign-in')
    const home = fastFolder()
    const first = await startServe({ home })
    await warmPostern({ home }, 'agent', 'add', 'justin', '--kind', 'human')
    const cookie = await enter((await warmPosternJson<Link>({ home }, 'ui', '--print')).url)
    await first.stop()
    const again = await startServe({ home, port: new URL(first.url).port })
    expect((await again.ask('GET /api/v1/caller', { token: null, headers: { cookie } })).status).toBe(200)
  })

  it('asks who looks where several could be meant, and takes the owner for it', async () => {
    const home = fastFolder()
    await startServe({ home })
    for (const name of ['justin', 'robin']) await warmPostern({ home }, 'agent', 'add', name, '--kind', 'human')
    expect(await warmPostern({ home }, 'ui')).toMatchObject({
      exit: 64,
      stderr: expect.stringContaining('justin, robin'),
    })
    expect((await warmPosternJson<Link>({ home }, 'ui', '--as', 'robin')).person).toBe('robin')
    await warmPostern({ home }, 'agent', 'add', 'justin', '--kind', 'human', '--owner')
    expect((await warmPosternJson<Link>({ home }, 'ui')).person).toBe('justin')
  })

  it('lets no agent in, by name or by descent', async () => {
    verifies('page.sign-in')
    const home = fastFolder()
    await startServe({ home })
    await warmPostern({ home }, 'agent', 'add', 'quinn')
    await warmPostern({ home }, 'agent', 'add', 'justin', '--kind', 'human')
    expect((await warmPostern({ home }, 'ui', '--as', 'quinn')).exit).toBe(4)
    const { pid } = process
    // A hook would register it: the server takes no process above itself for a host.
    const local = await openLocal(join(home, 'postern.db'))
    await local.sessions.begin({ id: 'ses_1', agent: 'quinn', pid, pidStartedAt: processStart(pid) ?? 0 })
    await local.close()
    for (const words of [['ui'], ['ui', '--as', 'justin']]) {
      expect((await warmPostern({ home }, ...words)).exit, words.join(' ')).toBe(4)
    }
  })

  it('says so where no server runs', async () => {
    const home = fastFolder()
    await warmPostern({ home }, 'agent', 'add', 'justin', '--kind', 'human')
    expect(await warmPostern({ home }, 'ui')).toMatchObject({
      exit: 69,
      stderr: expect.stringContaining('postern serve'),
    })
  })
})
