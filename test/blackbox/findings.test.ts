import { chmodSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { startScriptedHost } from '../helpers/scripted-host.ts'
import { makePlace, type Place, STORES } from './harness/place.ts'
import { readRendered } from './harness/shown.ts'

/** What a stranger found who used Postern from outside, each as the commands that showed it. */
describe.each(STORES)('on the store %s', (store) => {
  it('a message that could not be printed ten times is shown as if for the first time', async () => {
    const place = await makePlace({ store })
    await place.ask('inbox', 'push', '--to', 'quinn', 'only once')
    for (let round = 0; round < 10; round++) {
      const { exit, stderr } = await place.run(['inbox', 'drain', '--agent', 'quinn'], { stdoutFile: '/dev/full' })
      expect([exit, stderr]).toEqual([1, expect.stringContaining('still in the inbox')])
    }
    expect(await drain(place)).toMatchObject([{ content: 'only once', attempt: 1 }])
  })

  it('mail of a session whose host was killed is shown to the next session at once', async () => {
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

  it('a refused attempt to open a gate is recorded, and nobody without a name opens what a person has set', async () => {
    const place = await makePlace({ store })
    const create = ['gate', 'create', '--agent', 'quinn', '--kind', 'human', '--reason', 'wait', '--as', 'justin']
    const { id } = await place.ask<{ id: string }>(...create)
    const refused = await place.run(['gate', 'resolve', id, '--as', 'quinn'])
    expect(refused.exit).not.toBe(0)
    const { steps } = await place.ask<{ steps: { by: string; evidence: string }[] }>('gate', 'show', id)
    expect(JSON.stringify(steps)).toContain('quinn')
    expect(await place.ask('gate', 'show', id)).toMatchObject({ state: 'open' })
  })

  it('an agent that writes to itself in a circle is held', async () => {
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

  it('text that is not UTF-8 is refused, and none of it is stored', async () => {
    const place = await makePlace({ store })
    const line = `printf 'caf\\xe9' | "$@"`
    const wrap = ['bash', '-c', line, 'bash']
    const { exit, stderr } = await place.run(['inbox', 'push', '--to', 'quinn', '-'], { wrap })
    expect([exit, stderr]).toEqual([64, expect.stringContaining('UTF-8')])
    expect(await drain(place)).toEqual([])
  })
})

it('a header that was edited in a bus file is found', async () => {
  const place = await makePlace()
  await place.ask('bus', 'post', '--project', 'pay', '--type', 'FACT', 'pay 100 to Ann')
  const path = join(place.home, 'run-agent', 'pay', 'PROJECT-MESSAGE-BUS.md')
  writeFileSync(path, readFileSync(path, 'utf8').replace('type: FACT', 'type: FUCT'))
  const { exit, stdout } = await place.run(['bus', 'verify', '--project', 'pay'])
  expect([exit, stdout]).toEqual([1, expect.stringContaining('header')])
})

it('doctor says what is wrong with a home that it may not read, and with a broken configuration', async () => {
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
