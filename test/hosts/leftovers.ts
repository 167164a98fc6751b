import { readdirSync, readFileSync } from 'node:fs'
import { setTimeout as delay } from 'node:timers/promises'

const POLL_MS = 10

/**
 * Ends whatever was started in a home and still runs: a client that takes its time to leave, its last hooks, a watcher
 * that is nobody's child. Each of them would write there again after the home was removed.
 */
export async function endProcessesIn(home: string, variable = 'HOME'): Promise<void> {
  for (let left = processesIn(home, variable); left.length > 0; left = processesIn(home, variable)) {
    for (const pid of left) end(pid)
    await delay(POLL_MS)
  }
}

/** Those that the kernel says were started with this home. Where it has no such files, none is found. */
export function processesIn(home: string, variable = 'HOME'): readonly number[] {
  const mark = `\0${variable}=${home}\0`
  return listProc()
    .filter((name) => /^\d+$/.test(name) && `\0${readEnvironment(name)}`.includes(mark))
    .map(Number)
}

function listProc(): readonly string[] {
  try {
    return readdirSync('/proc')
  } catch {
    return []
  }
}

/** Empty where the process has gone meanwhile, or is somebody else's. */
function readEnvironment(pid: string): string {
  try {
    return readFileSync(`/proc/${pid}/environ`, 'utf8')
  } catch {
    return ''
  }
}

function end(pid: number): void {
  try {
    process.kill(pid, 'SIGKILL')
  } catch {
    // It went by itself.
  }
}
