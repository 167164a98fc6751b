import { mkdirSync, rmSync, utimesSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it, onTestFinished } from 'vitest'
import { openLocal } from '../../test/helpers/open-local.ts'
import { temporaryFolder } from '../../test/helpers/temp.ts'

const BEGUN_AT = 1_700_000_000_000

async function openWithSession() {
  const home = temporaryFolder()
  const postern = await openLocal(join(home, 'postern.db'), { upkeep: false, now: () => BEGUN_AT })
  onTestFinished(() => postern.close())
  await postern.agents.add({ id: 'quinn' })
  await postern.sessions.begin({ id: 's', agent: 'quinn' })
  mkdirSync(join(home, 'live'))
  const lastEventOf = async () => {
    const shown = await postern.agents.show({ id: 'quinn' })
    const [listed] = await postern.agents.list()
    expect(listed).toEqual(shown)
    return shown.session?.lastEventAt
  }
  const touch = (at: number) => {
    writeFileSync(join(home, 'live/quinn'), '')
    utimesSync(join(home, 'live/quinn'), at / 1000, at / 1000)
  }
  return { home, lastEventOf, touch }
}

describe('an agent whose hooks find nothing to do', () => {
  it('was last heard of when a hook touched its file', async () => {
    const { lastEventOf, touch } = await openWithSession()
    expect(await lastEventOf()).toBe(BEGUN_AT)
    touch(BEGUN_AT + 5_000)
    expect(await lastEventOf()).toBe(BEGUN_AT + 5_000)
  })

  it('was last heard of by its session where that is later, or nothing was touched', async () => {
    const { home, lastEventOf, touch } = await openWithSession()
    touch(BEGUN_AT - 5_000)
    expect(await lastEventOf()).toBe(BEGUN_AT)
    rmSync(join(home, 'live'), { recursive: true })
    writeFileSync(join(home, 'live'), 'something else')
    expect(await lastEventOf()).toBe(BEGUN_AT)
  })
})
