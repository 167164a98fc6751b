import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { inject, onTestFinished } from 'vitest'
import { type Outcome, postern } from '../../helpers/command.ts'
import '../../helpers/global-postgres.ts'
import { type ServeProcess, startServe } from '../../helpers/http-server.ts'
import { createDatabase } from '../../helpers/postgres.ts'
import { fastFolder } from '../../helpers/temp.ts'

/** The two stores that a user may have. */
export const STORES = ['embedded', 'postgres'] as const
export type StoreKind = (typeof STORES)[number]

/** A home that tests use through commands and a server only. */
export interface Place {
  readonly home: string
  /** Runs a command, and returns its output and its exit code. */
  run(words: readonly string[], options?: RunOptions): Promise<Outcome>
  /** The JSON of a command that must succeed. */
  ask<T>(...words: readonly string[]): Promise<T>
  serve(): Promise<ServeProcess>
}

export interface RunOptions {
  readonly stdin?: string
  readonly stdoutFile?: string
  readonly env?: Readonly<Record<string, string>>
  readonly wrap?: readonly string[]
  readonly cwd?: string
}

export interface PlaceOptions {
  readonly store?: StoreKind
  /** In a folder of the caller's, such as a small disk. */
  readonly home?: string
  readonly limits?: Readonly<Record<string, number>>
}

/** A new home with the agents quinn, robin and sam and the person justin. */
export async function makePlace({
  store = 'embedded',
  home = fastFolder(),
  limits = {},
}: PlaceOptions = {}): Promise<Place> {
  mkdirSync(home, { recursive: true, mode: 0o700 })
  writeFileSync(join(home, 'config.json'), JSON.stringify({ limits, ...(await storeOf(store)) }), { mode: 0o600 })
  const place = placeIn(home)
  for (const id of ['quinn', 'robin', 'sam']) await place.ask('agent', 'add', id)
  await place.ask('agent', 'add', 'justin', '--kind', 'human', '--owner')
  return place
}

/** A home that is there already. */
export function placeIn(home: string): Place {
  const run = (words: readonly string[], options: RunOptions = {}) => postern({ home, ...options }, ...words)
  return {
    home,
    run,
    async ask<T>(...words: readonly string[]): Promise<T> {
      const { exit, stdout, stderr } = await run([...words, '--json'])
      if (exit !== 0) throw new Error(`postern ${words.join(' ')} exited with ${exit}: ${stderr}${stdout}`)
      return JSON.parse(stdout)
    },
    serve: () => startServe({ home }),
  }
}

async function storeOf(kind: StoreKind): Promise<{ readonly store?: string }> {
  if (kind === 'embedded') return {}
  const database = await createDatabase(inject('postgresUrl'))
  onTestFinished(() => database.drop())
  return { store: database.url }
}
