import { cpSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { inject, onTestFinished } from 'vitest'
import { openPostern } from '../../../src/host/open/open.ts'
import type { LocalPostern, Postern } from '../../../src/model/postern.ts'
import '../../helpers/global-postgres.ts'
import { filled } from '../../helpers/drains/expensive-texts.ts'
import { plantFile, seedItem } from '../../helpers/handoff/projects.ts'
import { startServe } from '../../helpers/http-server.ts'
import { createDatabase } from '../../helpers/postgres.ts'
import { cliCommand } from './cli.ts'
import { fill, mountMemory } from './disk.ts'
import { startHolder } from './holder.ts'
import { storeOf, withStore } from './home.ts'
import type { Place } from './hook.ts'
import { run } from './need.ts'
import { REASON, type Trouble, type Troubled } from './silence.ts'
import { damage, lock, lockWhole } from './store-troubles.ts'
import { startValve } from './valve.ts'

const MESSAGES = 200
const BATCH = 20
const CONTENT_BYTES = 64 * 1024
const SESSIONS = 200
const GATES = 10_000
/** One less than an agent may have, which leaves room for the gate of the test. */
const GATES_OF_AGENT = 199
const ITEMS = 1_000
const ITEM_BYTES = 1_900
const HOUR_MS = 60 * 60 * 1_000
const SYNC_MS = 400

/** As much urgent mail as a drain looks at, of characters that take long to make safe or to measure. */
export function hostileMail(characters: string): Trouble {
  const content = characters.repeat(Math.floor(CONTENT_BYTES / Buffer.byteLength(characters)))
  return {
    name: `${MESSAGES} critical messages of ${JSON.stringify(characters)}`,
    furnish: ({ home }) =>
      withStore(home, async ({ inbox }) => {
        for (let sent = 0; sent < MESSAGES; sent += BATCH) {
          const message = { to: ['quinn'], content, priority: 0 } as const
          await inbox.pushMany({ messages: Array.from({ length: BATCH }, () => message) })
        }
      }),
  }
}

/** As many items as a box may have, of words that take long to make safe, in a project that a person has set up. */
export const hostileHandoff = {
  name: `${ITEMS} items of a handoff`,
  async enter(place: Place) {
    const inbox = join(place.project, 'inbox')
    await withStore(place.home, ({ handoff }) => handoff.init({ project: place.project }))
    const item = seedItem({ type: 'learning' }, filled('<a', ITEM_BYTES))
    for (let at = 0; at < ITEMS; at++) plantFile(join(inbox, `${at}.md`), item)
    return place
  },
} satisfies Trouble

export const manySessions: Trouble = {
  name: `${SESSIONS} sessions`,
  furnish: ({ home, project }) =>
    withStore(home, async (postern) => {
      const { sessions } = postern as LocalPostern
      const ids = Array.from({ length: SESSIONS }, (_, at) => `other-${at}`)
      const begun = { agent: 'quinn', host: 'claude-code', event: 'session.start', project, ageMs: 0 } as const
      await Promise.all(ids.map((id) => sessions.note({ id, ...begun })))
    }),
}

/** As many gates as the agent may have, and those of others. */
export const manyGates: Trouble = {
  name: `${GATES} gates`,
  furnish: ({ home }) =>
    withStore(home, async ({ agents, gates }) => {
      const others = Array.from({ length: Math.ceil(GATES / GATES_OF_AGENT) - 1 }, (_, at) => `held-${at}`)
      for (const id of others) await agents.add({ id })
      for (const agent of ['quinn', ...others]) {
        const gate = { agent, kind: 'timer', afterMs: HOUR_MS, reason: `${REASON} ${'x'.repeat(1_900)}` } as const
        await Promise.all(Array.from({ length: GATES_OF_AGENT }, () => gates.create(gate)))
      }
    }),
}

export const lockedStore: Trouble = {
  name: 'a store locked by a process that was stopped',
  begin: async (place) => ({ end: await lock(place, true) }),
}

export const lockedWhole: Trouble = {
  name: 'a store locked against readers too',
  begin: async (place) => ({ end: await lockWhole(place) }),
}

/** The first hook finds the store locked. A hook that waited for it would be late. */
export function lockedFor(ms: number): Trouble {
  return {
    name: `a store locked for ${ms} ms`,
    async begin({ home }) {
      const holder = await startHolder(storeOf(home))
      const over = holder.letGoAfter(ms)
      return { end: () => over.then(holder.kill) }
    },
  }
}

export function damagedStore(name: string, how: (path: string) => void): Trouble {
  return { name, begin: async (place) => ({ end: await damage(place, how) }) }
}

/** No hook has read the gate from the store, and none can. */
export function lostAfterGate(trouble: Trouble): Trouble {
  return { ...trouble, name: `${trouble.name} right after the gate was made`, isGateLate: true }
}

export function brokenConfig(text: string): Trouble {
  return {
    name: `the configuration ${text}`,
    async begin({ home }) {
      const path = join(home, 'config.json')
      writeFileSync(path, text)
      return { end: async () => writeFileSync(path, '{}') }
    },
  }
}

export const killedServer: Trouble = {
  name: 'a server that was killed',
  async begin({ home }) {
    const server = await startServe({ home, executable: cliCommand([]).at(-1) ?? '' })
    await server.stop('SIGKILL')
    return NO_END
  },
}

const NO_END: Troubled = { end: async () => {} }

/** Every sync of the store takes long. Watchers are not traced: they outlive their hooks. */
export const slowDisk: Trouble = {
  name: `a disk that takes ${SYNC_MS} ms for each sync`,
  async begin({ home }) {
    const paths = ['', '-wal'].flatMap((suffix) => ['-P', storeOf(home) + suffix])
    const delay = ['fsync', 'fdatasync'].flatMap((call) => ['-e', `inject=${call}:delay_enter=${SYNC_MS * 1_000}`])
    const wrap = ['strace', '-qq', '-o', '/dev/null', ...paths, '-e', 'trace=fsync,fdatasync', ...delay]
    return { ...NO_END, firing: { wrap } }
  },
}

/** The first sync of the store takes longer than the host waits, so it ends the hook. */
export const killedInSync: Trouble = {
  name: 'a host that ends the hook during a long sync',
  isFatal: true,
  async begin({ home }) {
    const paths = ['', '-wal'].flatMap((suffix) => ['-P', storeOf(home) + suffix])
    const kill = ['fsync', 'fdatasync'].flatMap((call) => ['-e', `inject=${call}:signal=KILL`])
    return {
      ...NO_END,
      firing: { wrap: ['strace', '-qq', '-o', '/dev/null', ...paths, '-e', 'trace=fsync,fdatasync', ...kill] },
    }
  },
}

export const readOnlyHome: Trouble = {
  name: 'a home that is read-only',
  enter: (place) => mountHome(place, 'size=32m,mode=700'),
  async begin({ home }) {
    const remount = (how: 'ro' | 'rw') => run('mount', ['-o', `remount,${how}`, home])
    remount('ro')
    return { end: async () => void remount('rw') }
  },
}

export const fullDisk: Trouble = {
  name: 'a disk that is full',
  enter: (place) => mountHome(place, 'size=8m,mode=700'),
  async begin({ home }) {
    const filler = join(home, 'filler')
    fill(filler)
    return { end: async () => rmSync(filler) }
  },
}

/** Moves the home of a place to a disk of its own. */
async function mountHome(place: Place, options: string): Promise<Place> {
  const home = `${place.home}-mounted`
  onTestFinished(mountMemory(home, options))
  cpSync(place.home, home, { recursive: true })
  return { ...place, home }
}

/** The store is in a PostgreSQL, which then refuses connections or takes them without a word. */
export function gonePostgres(how: 'refuse' | 'mute'): Trouble {
  return {
    name: `a PostgreSQL that ${how === 'refuse' ? 'was killed' : 'does not answer'}`,
    async enter(place) {
      const database = await createDatabase(inject('postgresUrl'))
      onTestFinished(() => database.drop())
      const valve = await startValve(database.url)
      writeFileSync(join(place.home, 'config.json'), JSON.stringify({ store: valve.url }))
      const open = <T>(call: (postern: Postern) => Promise<T>) => withServer(database.url, place, call)
      await open(async ({ agents }) => {
        await agents.add({ id: 'quinn' })
        await agents.add({ id: 'justin', kind: 'human' })
      })
      return { ...place, open, valve }
    },
    async begin({ valve }) {
      await valve?.[how]()
      return { end: async () => valve?.open() }
    },
  }
}

async function withServer<T>(store: string, { home }: Place, call: (postern: Postern) => Promise<T>): Promise<T> {
  const postern = await openPostern({ store, home, upkeep: false })
  try {
    return await call(postern)
  } finally {
    await postern.close()
  }
}
