import { readdirSync, statSync, utimesSync } from 'node:fs'
import { join } from 'node:path'
import { type Listener, type OnRing, parseRingName, type Wire } from '../wire.ts'
import type { WatchFile } from './bell.ts'
import type { Bells } from './bells.ts'

export interface DoorbellOptions {
  /** A folder on a local disk that is the same for all processes of this store. It is made when first needed. */
  readonly folder: string
  /** Stands in for `fs.watch` in tests of what happens when the machine has no watches left. */
  readonly watch?: WatchFile
}

/**
 * Rings other processes of this machine without any server: a name is a small file, ringing it touches the file, and
 * listeners watch it. Where nobody ever listened there is no file and ringing does nothing.
 */
export function createDoorbell({ folder, watch }: DoorbellOptions): Wire {
  const open = new Set<Listener>()
  let bells: Bells | undefined
  return {
    ring(names) {
      ringAll(folder, names)
    },
    async listen(names, onRing) {
      const paths = new Map(names.map((name) => [parseRingName(name), join(folder, name)]))
      // Whoever only rings, as most do, needs no bell.
      const { createBells } = await import('./bells.ts')
      bells ??= createBells(watch)
      const heard = listenTo(bells, paths, onRing)
      const listener = {
        close() {
          open.delete(listener)
          heard.close()
        },
      }
      open.add(listener)
      return listener
    },
    async health() {
      return { isUp: true, detail: `a doorbell of files in ${folder}` }
    },
    lastRungAt(name) {
      return statSync(join(folder, parseRingName(name)), { throwIfNoEntry: false })?.mtimeMs
    },
    close() {
      for (const listener of open) listener.close()
      bells?.close()
    },
  }
}

let rings = 0

/** From this number on the folder is read once, instead of looking for each bell. */
const MANY = 16

/** Rings every name before it says that one of them could not be rung. */
function ringAll(folder: string, names: readonly string[]): void {
  // Never the same twice: who has to poll tells two rings apart by it.
  const nowS = (Date.now() + (rings++ % 1000) / 1000) / 1000
  const isBell = names.length < MANY ? undefined : bellsIn(folder)
  let failure: unknown
  for (const name of names) {
    if (isBell && !isBell.has(name)) continue
    const path = `${folder}/${parseRingName(name)}`
    try {
      // Mostly nobody listens: to look costs far less than to fail.
      if (statSync(path, { throwIfNoEntry: false })) utimesSync(path, nowS, nowS)
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'ENOENT') failure ??= error
    }
  }
  if (failure !== undefined) throw failure
}

function bellsIn(folder: string): ReadonlySet<string> {
  try {
    return new Set(readdirSync(folder))
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return new Set()
    throw error
  }
}

function listenTo(bells: Bells, paths: ReadonlyMap<string, string>, onRing: OnRing): { close(): void } {
  const rung = new Set<string>()
  let scheduled: NodeJS.Immediate | undefined

  // The kernel hands over all events of a moment at once; the immediate comes after the last of them.
  const note = (name: string) => {
    rung.add(name)
    scheduled ??= setImmediate(() => {
      scheduled = undefined
      const names = [...rung]
      rung.clear()
      onRing(names)
    })
  }

  const leave: (() => void)[] = []
  const close = () => {
    clearImmediate(scheduled)
    for (const each of leave.splice(0)) each()
  }
  try {
    for (const [name, path] of paths) leave.push(bells.hear(path, () => note(name)))
  } catch (error) {
    close()
    throw error
  }
  return { close }
}
