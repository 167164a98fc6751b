import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { openBusShelf } from '../../src/bus/file-bus-shelf.ts'
import type { Contest, Sample } from '../harness.ts'
import type { Lab } from '../lab.ts'
import { draftOf, PLACE } from './files.ts'

const BIN = fileURLToPath(new URL('../../bin/postern.cjs', import.meta.url))
const MIB = 1024 * 1024
const IN_FLIGHT = 100
const LINE_BREAK = 0x0a

/** The memory of a process that follows a bus, while another one writes to it as fast as it can. */
export function watching(lab: Lab): Contest {
  const entries = lab.quick ? 60_000 : 200_000
  return {
    title: `bus watch over ${entries.toLocaleString('en')} entries`,
    rounds: 1,
    warmUps: 0,
    contestants: [{ name: 'watch', enter: async () => ({ block: () => follow(lab, entries) }) }],
    goals: [
      { id: 'B4', ours: 'watch growth', atMost: 1.2 },
      { id: 'B4', ours: 'watch lost', atMost: 0 },
    ],
  }
}

async function follow(lab: Lab, entries: number): Promise<Sample> {
  const [home, root] = [lab.newFolder(), lab.newFolder()]
  const opened = openBusShelf({ root })
  await opened.append(PLACE, draftOf(0))
  const watcher = startWatch(home, root)
  const memory: number[] = []
  try {
    await watcher.arrived(1)
    for (let sent = 0; sent < entries; sent += IN_FLIGHT) {
      await Promise.all(Array.from({ length: IN_FLIGHT }, (_, i) => opened.append(PLACE, draftOf(sent + i))))
      memory.push(memoryOf(watcher.child))
    }
    await watcher.arrived(entries + 1)
    memory.push(memoryOf(watcher.child))
  } finally {
    watcher.child.kill('SIGKILL')
    opened.close()
  }
  const third = Math.floor(memory.length / 3)
  const growth = Math.max(...memory.slice(2 * third)) / Math.max(...memory.slice(third, 2 * third))
  return { growth, MiB: Math.max(...memory) / MIB, lost: entries + 1 - watcher.lines() }
}

interface Watcher {
  readonly child: ChildProcess
  lines(): number
  /** Resolves when so many entries have been told. */
  arrived(count: number): Promise<void>
}

function startWatch(home: string, root: string): Watcher {
  const place = ['--project', PLACE.project_id, '--task', PLACE.task_id ?? '']
  const child = spawn(process.execPath, [BIN, 'bus', 'watch', ...place, '--tail', '0', '--json'], {
    env: { ...process.env, POSTERN_HOME: home, POSTERN_BUS_ROOT: root },
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  let lines = 0
  child.stdout.on('data', (bytes: Buffer) => {
    for (let at = bytes.indexOf(LINE_BREAK); at >= 0; at = bytes.indexOf(LINE_BREAK, at + 1)) lines++
  })
  return {
    child,
    lines: () => lines,
    async arrived(count) {
      while (lines < count) await once(child.stdout, 'data', { signal: AbortSignal.timeout(30_000) })
    },
  }
}

function memoryOf({ pid }: ChildProcess): number {
  const [, kilobytes] = /VmRSS:\s+(\d+) kB/.exec(readFileSync(`/proc/${pid}/status`, 'utf8')) ?? []
  return Number(kilobytes) * 1024
}
