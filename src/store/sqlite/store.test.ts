import { renameSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it, onTestFinished } from 'vitest'
import { plantQuiet, quietIn } from '../../../test/helpers/quiet.ts'
import { temporaryFolder } from '../../../test/helpers/temp.ts'
import type { NewAgent, Store } from '../store.ts'
import { MIGRATIONS } from './migrate.ts'
import { SCHEMA_VERSION } from './schema.ts'
import { openSqliteStore } from './store.ts'

async function open(path: string): Promise<Store> {
  const store = await openSqliteStore({ path, now: Date.now, random: Math.random })
  onTestFinished(() => store.close())
  return store
}

function newAgent(id: string): NewAgent {
  const agent = { id, kind: 'ai', displayName: id, isOwner: false, createdAt: 1, removedAt: null } as const
  return { agent, idSkeleton: id, nameSkeleton: id, withBroadcasts: false }
}

async function namesOf(store: Store): Promise<string[]> {
  return (await store.read.agents.list({ removed: false })).map(({ id }) => id)
}

describe('the schema', () => {
  it('has the number of its last migration', () => {
    expect(SCHEMA_VERSION).toBe(MIGRATIONS.length)
  })
})

describe('a store whose file is replaced under it', () => {
  it('says so once, then reads what is there now', async () => {
    const folder = temporaryFolder()
    const [path, other] = [join(folder, 'a.db'), join(folder, 'b.db')]
    const store = await open(path)
    await store.transact((tx) => tx.agents.insert(newAgent('ann')))
    const replacement = await open(other)
    await replacement.transact((tx) => tx.agents.insert(newAgent('bob')))
    await replacement.close()

    for (const suffix of ['-wal', '-shm']) rmSync(path + suffix, { force: true })
    renameSync(other, path)
    await expect(namesOf(store)).rejects.toMatchObject({ code: 'STORE_UNAVAILABLE' })
    expect(await namesOf(store)).toEqual(['bob'])
    expect(await Promise.all([namesOf(store), namesOf(store)])).toEqual([['bob'], ['bob']])
  })

  it('leaves no quiet file that speaks of the one before', async () => {
    const home = temporaryFolder()
    const path = join(home, 'postern.db')
    const remove = () => ['', '-wal', '-shm'].map((suffix) => rmSync(path + suffix, { force: true }))
    const store = await open(path)
    plantQuiet(home, ['quinn'])
    remove()
    writeFileSync(path, '')
    await expect(namesOf(store)).rejects.toMatchObject({ code: 'STORE_UNAVAILABLE' })
    expect(quietIn(home)).toEqual([])
    await store.close()

    plantQuiet(home, ['quinn'])
    remove()
    await open(path)
    expect(quietIn(home)).toEqual([])
  })

  it('reads beside a transaction without seeing it', async () => {
    const store = await open(join(temporaryFolder(), 'a.db'))
    const seen = await store.transact(async (tx) => {
      await tx.agents.insert(newAgent('ann'))
      return { inside: await tx.agents.get('ann'), beside: await store.read.agents.get('ann') }
    })
    expect(seen.inside?.id).toBe('ann')
    expect(seen.beside).toBeUndefined()
  })
})
