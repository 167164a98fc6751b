import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, mkdirSync, readdirSync, readFileSync, symlinkSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { buildSync } from 'esbuild'
import { afterAll } from 'vitest'
import { makeTemporaryFolder, removeFolder } from '../../helpers/temp.ts'

export interface Crew {
  readonly root: string
  readonly logs: string
  readonly posters: number
  /** Entries of each poster, over all its lives. */
  readonly entries: number
  readonly kills: number
  /** How likely a poster dies in a write. */
  readonly deadliness: number
  readonly plant?: 'no-lock' | 'no-repair' | 'no-sync'
}

/** What a poster was told has been written. */
export interface Acknowledged {
  readonly key: string
  readonly msg_id: string
}

const LONGEST_LIFE_MS = 300
const LANES = 3

const bundled = new Map<string, string>()
afterAll(() => {
  for (const file of bundled.values()) removeFolder(dirname(dirname(file)))
})

/** A program of the harness in one file, with what it loads on use where it looks for it. */
export function bundle(name: 'poster' | 'post-some'): string {
  const known = bundled.get(name)
  if (known !== undefined) return known
  const folder = makeTemporaryFolder()
  const outfile = join(folder, 'dist', `${name}.mjs`)
  const entry = fileURLToPath(new URL(`./${name}.ts`, import.meta.url))
  buildSync({ entryPoints: [entry], outfile, bundle: true, platform: 'node', format: 'esm', target: 'node22' })
  for (const name of ['native', 'node_modules'])
    symlinkSync(fileURLToPath(new URL(`../../../${name}`, import.meta.url)), join(folder, name))
  bundled.set(name, outfile)
  return outfile
}

/** Lets all post at once, kills some of them again and again, and sees to it that all entries are posted. */
export async function letPost(crew: Crew): Promise<{ readonly kills: number; readonly deaths: number }> {
  mkdirSync(crew.logs, { recursive: true })
  const living = new Set<ChildProcess>()
  let [kills, deaths, lives] = [0, 0, 0]
  const live = async (poster: number) => {
    for (let left = crew.entries; left > 0; ) {
      const by = `p${poster}-${++lives}`
      const child = startPoster(crew, by, left)
      living.add(child)
      await once(child, 'close')
      living.delete(child)
      if (child.signalCode === 'SIGKILL') deaths++
      // Whoever ends by itself has posted all, or failed, which its error tells.
      else return
      left -= readLog(crew.logs, by).length
    }
  }
  const posting = Promise.all(Array.from({ length: crew.posters }, (_, poster) => live(poster)))
  let isOver = false
  void posting.then(() => {
    isOver = true
  })
  while (!isOver && kills < crew.kills) {
    await Promise.race([delay(Math.random() * LONGEST_LIFE_MS), posting])
    const victims = [...living]
    if (victims[Math.floor(Math.random() * victims.length)]?.kill('SIGKILL')) kills++
  }
  await posting
  return { kills, deaths }
}

/** One life of a poster. */
export function startPoster({ root, logs, deadliness, plant }: Crew, by: string, count: number): ChildProcess {
  const words = { root, by, log: join(logs, `${by}.jsonl`), count, lanes: LANES, deadliness, plant: plant ?? '' }
  const args = Object.entries(words).map(([name, value]) => `--${name}=${value}`)
  return spawn(process.execPath, [bundle('poster'), ...args], { stdio: ['ignore', 'ignore', 'inherit'] })
}

/** Of one that was killed the last line may be torn. */
function readLog(logs: string, by: string): Acknowledged[] {
  const path = join(logs, `${by}.jsonl`)
  if (!existsSync(path)) return []
  const lines = readFileSync(path, 'utf8').split('\n').slice(0, -1)
  return lines.map((line) => JSON.parse(line) as Acknowledged)
}

export function readLogs(logs: string): Acknowledged[] {
  const names = readdirSync(logs).filter((name) => name.endsWith('.jsonl'))
  return names.flatMap((name) => readLog(logs, name.replace('.jsonl', '')))
}

export function readErrors(logs: string): string[] {
  const names = readdirSync(logs).filter((name) => name.endsWith('.error'))
  return names.map((name) => readFileSync(join(logs, name), 'utf8'))
}
