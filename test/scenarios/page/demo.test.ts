import { existsSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it, onTestFinished } from 'vitest'
import { EXECUTABLE } from '../../helpers/command.ts'
import { ask } from '../../helpers/http-server.ts'
import { spawnServing } from '../../helpers/server/serving-process.ts'
import { fastFolder } from '../../helpers/temp.ts'
import { warmPostern } from '../../helpers/warm-command.ts'
import { verifies } from '../verifies.ts'

interface Demo {
  readonly url: string
  readonly home: string
  readonly person: string
  readonly signInUrl: string
}

async function startDemo() {
  const ownHome = fastFolder()
  const { child, announced, exited, stderr, stop } = spawnServing(ownHome, EXECUTABLE, ['demo', '--json'])
  onTestFinished(async () => {
    child.kill('SIGKILL')
    await exited
  })
  return { ownHome, stderr, stop, ...(await announced<Demo>()) }
}

/** Who is signed in to the page, as the link says. */
async function connectAs({ url, signInUrl }: Demo): Promise<string> {
  const { pathname, search } = new URL(signInUrl)
  const { headers } = await ask(url, `GET ${pathname}${search}`)
  return String(headers['set-cookie']?.[0]).split(';')[0] ?? ''
}

describe('postern demo', () => {
  it('shows every part at work, and goes on', async () => {
    verifies('page.demo')
    const demo = await startDemo()
    const cookie = await connectAs(demo)
    const get = async (path: string) => (await ask(demo.url, `GET ${path}`, { headers: { cookie } })).body
    expect((await get('/api/v1/caller')).caller).toMatchObject({ id: demo.person, kind: 'human' })
    const [agents, inbox] = [await get('/api/v1/agents'), await get(`/api/v1/inbox?agent=${demo.person}&which=open`)]
    expect(agents.filter(({ session }: { session: unknown }) => session !== null).length).toBeGreaterThanOrEqual(3)
    expect(inbox.items.length).toBeGreaterThanOrEqual(5)
    expect(await get('/api/v1/decisions')).toMatchObject([{ state: 'open', asked: [demo.person] }])
    expect((await get('/api/v1/gates?all=true')).map(({ state }: { state: string }) => state)).toEqual(
      expect.arrayContaining(['open', 'resolved', 'waived']),
    )
    expect((await get('/api/v1/spaces')).length).toBe(1)
    expect((await get('/api/v1/plans')).length).toBeGreaterThanOrEqual(2)
    expect((await get('/api/v1/services')).length).toBe(2)
    const issues = await get('/api/v1/bus/issues?project_id=harbour&task_id=task-checkout')
    expect(issues.issues.length).toBe(5)
    const { items } = await get('/api/v1/inbox?agent=rex')
    const alert = items.find(({ type }: { type: string }) => type === 'alert')
    expect((await get(`/api/v1/inbox/${alert.id}/trace`)).why).toContain('rex has not drained')
    const { pushed, oldestMs } = await get('/api/v1/metrics?window=day')
    expect(pushed.filter((count: number) => count > 0).length).toBeGreaterThan(3)
    expect(oldestMs.at(-1)).toBeGreaterThan(0)
    // Something happens by itself.
    const { cursor } = await get('/api/v1/events?latest=0')
    const headers = { cookie, origin: new URL(demo.url).origin }
    const next = await ask(demo.url, 'POST /api/v1/events/wait', {
      headers,
      body: { after: cursor, timeoutMs: 60_000 },
    })
    expect(next.body.items.length).toBeGreaterThan(0)
    expect(demo.stderr()).toBe('')
  })

  it('touches nothing of the user, and leaves nothing behind', async () => {
    verifies('page.demo')
    const { home, ownHome, stop } = await startDemo()
    expect(existsSync(join(home, 'postern.db'))).toBe(true)
    expect(await stop('SIGINT')).toBe(0)
    expect(existsSync(home)).toBe(false)
    expect(readdirSync(ownHome).filter((name) => name !== 'cache')).toEqual([])
  })

  it('is offered by a server on an empty store, and by no other', async () => {
    const home = fastFolder()
    const offers = async () => {
      const { child, exited } = spawnServing(home, EXECUTABLE, ['serve', '--port', '0'])
      let said = ''
      await new Promise<void>((resolve) => {
        child.stdout.on('data', (chunk) => {
          said += chunk
          if (said.includes('Ctrl-C')) resolve()
        })
      })
      child.kill('SIGTERM')
      await exited
      return said.includes('npx postern demo')
    }
    expect(await offers()).toBe(true)
    await warmPostern({ home }, 'agent', 'add', 'quinn')
    expect(await offers()).toBe(false)
  })
})
