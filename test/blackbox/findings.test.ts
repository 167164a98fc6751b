import { chmodSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { startScriptedHost } from '../helpers/scripted-host.ts'
import { makePlace, type Place, STORES } from './harness/place.ts'
import { readRendered } from './harness/shown.ts'

/** Faults that a black-box test of Postern has found. Each test repeats the commands that showed one. */
describe.each(STORES)('on the store %s', (store) => {
  it('counts no attempt whose output could not be written', async () => {
    const place = await makePlace({ store })
    await place.ask('inbox', 'push', '--to', 'quinn', 'only once')
    for (let round = 0; round < 10; round++) {
      const { exit, stderr } = await place.run(['inbox', 'drain', '--agent', 'quinn'], { stdoutFile: '/dev/full' })
      expect([exit, stderr]).toEqual([1, expect.stringContaining('still in the inbox')])
    }
    expect(await drain(place)).toMatchObject([{ content: 'only once', attempt: 1 }])
  })

  it('shows the next session at once what a killed one was shown', async () => {
    const place = await makePlace({ store })
    await place.ask('inbox', 'push', '--to', 'quinn', 'key-quinn-1')
    const [first, second] = ['ses-1', 'ses-2'].map((sessionId) =>
      startScriptedHost({ host: 'claude-code', home: place.home, sessionId }),
    )
    const shown = await (await first)?.fire('SessionStart')
    expect(keysIn(shown?.stdout)).toEqual(['key-quinn-1'])
    ;(await first)?.kill()
    expect(keysIn((await (await second)?.fire('SessionStart'))?.stdout)).toEqual(['key-quinn-1'])
  })

  it('records a refused attempt to open a gate, and leaves the gate as it is', async () => {
    const place = await makePlace({ store })
    const create = ['gate', 'create', '--agent', 'quinn', '--kind', 'human', '--reason', 'wait', '--as', 'justin']
    const { id } = await place.ask<{ id: string }>(...create)
    const refused = await place.run(['gate', 'resolve', id, '--as', 'quinn'])
    expect(refused.exit).not.toBe(0)
    const { steps } = await place.ask<{ steps: { by: string; evidence: string }[] }>('gate', 'show', id)
    expect(JSON.stringify(steps)).toContain('quinn')
    expect(await place.ask('gate', 'show', id)).toMatchObject({ state: 'open' })
  })

  it('holds the messages of an agent that answers itself again and again', async () => {
    const place = await makePlace({ store })
    let last: string | undefined
    let held = 0
    for (let round = 0; round < 14 && held === 0; round++) {
      const reply = last === undefined ? [] : ['--reply-to', last]
      const words = ['inbox', 'push', '--as', 'quinn', '--to', 'quinn', ...reply, `round ${round}`]
      const { id, recipients } = await place.ask<{ id: string; recipients: { state: string }[] }>(...words)
      last = id
      held += recipients.filter(({ state }) => state === 'held').length
    }
    expect(held).toBe(1)
  })

  it('refuses text that is not UTF-8, and stores none of it', async () => {
    const place = await makePlace({ store })
    const line = `printf 'caf\\xe9' | "$@"`
    const wrap = ['bash', '-c', line, 'bash']
    const { exit, stderr } = await place.run(['inbox', 'push', '--to', 'quinn', '-'], { wrap })
    expect([exit, stderr]).toEqual([64, expect.stringContaining('UTF-8')])
    expect(await drain(place)).toEqual([])
  })
})

it('finds an edited header in a bus file', async () => {
  const place = await makePlace()
  await place.ask('bus', 'post', '--project', 'pay', '--type', 'FACT', 'pay 100 to Ann')
  const path = join(place.home, 'run-agent', 'pay', 'PROJECT-MESSAGE-BUS.md')
  writeFileSync(path, readFileSync(path, 'utf8').replace('type: FACT', 'type: FUCT'))
  const { exit, stdout } = await place.run(['bus', 'verify', '--project', 'pay'])
  expect([exit, stdout]).toEqual([1, expect.stringContaining('header')])
})

it('explains a home that doctor may not read, and a broken configuration', async () => {
  const place = await makePlace()
  writeFileSync(join(place.home, 'config.json'), '{ "limits": ')
  const broken = await place.run(['doctor'])
  expect(broken.stdout).toContain('config')
  expect(broken.stdout + broken.stderr).not.toContain('INTERNAL')
  chmodSync(place.home, 0o000)
  const wrap = process.getuid?.() === 0 ? ['setpriv', '--reuid=65534', '--clear-groups'] : []
  const closed = await place.run(['doctor'], { wrap, cwd: '/' })
  chmodSync(place.home, 0o700)
  expect(closed.stdout).toContain(place.home)
  expect(closed.stdout + closed.stderr).not.toContain('INTERNAL')
})

function keysIn(stdout = ''): string[] {
  const context = JSON.parse(stdout || '{}').hookSpecificOutput?.additionalContext ?? ''
  return readRendered(context).map(({ key }) => key)
}

async function drain(place: Place): Promise<readonly { content: string; attempt: number }[]> {
  return (await place.ask<{ messages: { content: string; attempt: number }[] }>('inbox', 'drain', '--agent', 'quinn'))
    .messages
}
