import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Context, Ledgers } from '../../../src/core/context.ts'
import { createPostern } from '../../../src/core/postern.ts'
import { HOSTS, type HostName } from '../../../src/hooks/hosts/hosts.ts'
import { openContext } from '../../../src/host/open/context.ts'
import { openEmbedded } from '../../../src/host/open/store.ts'
import { type Caller, LOCAL_CALLER } from '../../../src/model/caller.ts'
import { PosternError } from '../../../src/model/errors.ts'
import { OWN_BOX } from '../../../src/model/handoff/item.ts'
import type { LocalPostern } from '../../../src/model/postern.ts'
import { makeFastFolder, removeFolder } from '../../helpers/temp.ts'
import type { Author, Planted } from './oracle.ts'
import { createTexts, type Texts } from './texts.ts'

/** A store with a cast of writers and readers, and everything that the writers have planted in it. */
export interface Scene {
  readonly home: string
  readonly project: string
  readonly busRoot: string
  readonly ctx: Context
  readonly postern: LocalPostern
  readonly ledgers: Ledgers
  readonly planted: Planted[]
  readonly refusals: Refusal[]
  /** Fields that have taken a hostile text. */
  readonly accepted: Set<string>
  /** Readers whose gates and questions are closed too, and who have plans. In other scenes it is others. */
  readonly chosen: readonly string[]
  /** Speaks as one of the cast. */
  as(caller: Caller): LocalPostern
  /** Words that only the store or the test has made: ids, agents and the names of folders. No attack knows them. */
  ours(): Promise<readonly string[]>
  /** Lets a writer do one thing with hostile texts. Undefined where it is refused. */
  attempt<T>(writer: Writer, name: string, act: (plant: Plant) => Promise<T>): Promise<T | undefined>
  close(): Promise<void>
  /** Removes its folders, once it is closed. */
  remove(): void
}

export interface Writer {
  readonly caller: Caller
  readonly author: Author
}

export interface Refusal {
  readonly name: string
  readonly error: PosternError
}

/** Makes a text for a field of the operation. */
export type Plant = (field: string, options?: PlantOptions) => string

export interface PlantOptions {
  readonly maxBytes?: number
  readonly isLine?: boolean
  readonly isName?: boolean
  /** Who wrote it, where that is not the caller. */
  readonly author?: Author
}

const MAX_BYTES = 700

/** Persons, programs and an unnamed process. No attack names one of them. */
export const PETRA = writer('petra', 'human', true)
export const OTTO = writer('otto', 'human', false)
export const MORTA = writer('morta', 'ai', true)
export const MOLDO = writer('moldo', 'ai', false)
export const CIBOT = writer('service:cibot', 'service', true)
export const UNNAMED: Writer = { caller: LOCAL_CALLER, author: { id: 'local', isVerified: false } }

function writer(id: string, kind: 'human' | 'ai' | 'service', isVerified: boolean): Writer {
  return { caller: { id, kind, verified: isVerified, via: isVerified ? 'http' : 'cli' }, author: { id, isVerified } }
}

/** Every way to read an inbox has an agent of its own, so that each meets every message. */
export const HOST_READERS: Readonly<Record<HostName, string>> = {
  'claude-code': 'at-claude',
  codex: 'at-codex',
  gemini: 'at-gemini',
  cursor: 'at-cursor',
  generic: 'at-generic',
}
export const MCP_READER = 'at-mcp'
export const DRAIN_READER = 'at-drain'
export const LINES_READER = 'at-lines'
export const READERS = [...Object.values(HOST_READERS), MCP_READER, DRAIN_READER, LINES_READER]

/** Long threads and many senders are damped elsewhere; here every text must arrive. */
const LIMITS = { pairBurst: 100_000, threadMessages: 100_000, drainCharacters: 1_000_000, drainMessages: 1_000 }

export async function openScene(seed: number): Promise<Scene> {
  const folder = makeFastFolder()
  const [home, project, busRoot] = [join(folder, 'home'), join(folder, 'project'), join(folder, 'buses')]
  for (const each of [home, join(project, '.git')]) mkdirSync(each, { recursive: true, mode: 0o700 })
  writeFileSync(join(home, 'config.json'), JSON.stringify({ bus: { root: busRoot } }), { mode: 0o600 })
  const { store, wire } = await openEmbedded(join(home, 'postern.db'), {})
  const { ctx, close } = openContext(store, wire, {
    upkeep: false,
    home,
    limits: LIMITS,
    bus: { root: busRoot },
    announce: async () => {},
  })
  const postern = createPostern(ctx, close)
  for (const id of READERS) await postern.agents.add({ id })
  for (const { caller } of [MORTA, MOLDO]) await postern.agents.add({ id: caller.id })
  for (const { caller } of [PETRA, OTTO])
    await postern.agents.add({ id: caller.id, kind: 'human', isOwner: caller.verified })
  const texts = createTexts(seed)
  const planted: Planted[] = []
  const refusals: Refusal[] = []
  const accepted = new Set<string>()
  return {
    home,
    project,
    busRoot,
    ctx,
    postern,
    ledgers: await ctx.ledger(),
    planted,
    refusals,
    accepted,
    chosen: [MCP_READER, READERS[seed % READERS.length] ?? ''],
    as: (caller) => postern.as(caller),
    ours: () => idsIn(postern),
    attempt: (writer, name, act) => attempt({ texts, planted, refusals, accepted }, writer, name, act),
    async close() {
      await postern.close()
    },
    remove: () => removeFolder(folder),
  }
}

async function idsIn(postern: LocalPostern): Promise<readonly string[]> {
  const agents = await postern.agents.list()
  const pages = agents.map(({ id: agent }) => postern.inbox.list({ agent, which: 'all', limit: 1_000 }))
  const things = [
    ...agents,
    ...(await Promise.all(pages)).flatMap(({ items }) => items),
    ...(await postern.gates.list({ all: true, limit: 1_000 })),
    ...(await postern.decisions.list({ all: true, limit: 1_000 })),
    ...(await postern.plans.list({ all: true })),
  ]
  const issues = (await postern.bus.issues({ project_id: 'shop' })).issues
  return [...[...things, ...issues].map(({ id }) => id), OWN_BOX]
}

interface Books {
  readonly texts: Texts
  readonly planted: Planted[]
  readonly refusals: Refusal[]
  readonly accepted: Set<string>
}

async function attempt<T>(
  { texts, planted, refusals, accepted }: Books,
  { author }: Writer,
  name: string,
  act: (plant: Plant) => Promise<T>,
): Promise<T | undefined> {
  const fields: string[] = []
  const plant: Plant = (field, options = {}) => {
    const { maxBytes = MAX_BYTES, isLine = false, isName = false } = options
    const { marker, text } = texts.next(maxBytes, isLine || isName)
    fields.push(`${name} ${field}`)
    planted.push({ marker, field: `${name} ${field}`, author: options.author ?? author, isName })
    return text
  }
  try {
    const done = await act(plant)
    for (const field of fields) accepted.add(field)
    return done
  } catch (error) {
    if (!(error instanceof PosternError)) throw error
    refusals.push({ name, error })
    return undefined
  }
}

export const HOST_NAMES = Object.keys(HOSTS) as readonly HostName[]
