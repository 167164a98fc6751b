import { fileURLToPath } from 'node:url'

/**
 * A limit that only a dead machine reaches. A test waits for a signal, and this ends the wait if the signal never comes.
 * It is below the timeout of every test, so that the wait fails and says what it waited for.
 */
export const DEAD_MACHINE_MS = 60_000

/** For `expect.poll` and `vi.waitFor`. */
export const PATIENTLY = { timeout: DEAD_MACHINE_MS, interval: 20 }

/** Preloaded into a process, this gives a hook a minute to answer. */
export const PATIENT_HOOK = pathOf('./preloads/patient-hook.cjs')

const HASTY_WATCHER = pathOf('./preloads/hasty-watcher.cjs')

/** For hosts and launchers, which start hooks and watchers of their own. */
export const HOST_ENV = { NODE_OPTIONS: preload(PATIENT_HOOK) }

/** The same, and watchers check ten times as often. */
export const HASTY_HOST_ENV = { NODE_OPTIONS: preload(PATIENT_HOOK, HASTY_WATCHER) }

/** For a process that waits long: its timers fire in a tenth of their time. */
export const HASTY_ENV = { NODE_OPTIONS: preload(pathOf('./preloads/hasty-timers.cjs')) }

/** The same, and its clock runs ten times as fast. `hasty-clock.cjs` says when that is safe. */
export const FAST_CLOCK_ENV = { NODE_OPTIONS: preload(pathOf('./preloads/hasty-clock.cjs')) }

/** Options of Node for a server whose deadlines only a dead machine reaches. */
export const PATIENT_NODE = ['--require', pathOf('./preloads/patient-clock.cjs')]

function pathOf(name: string): string {
  return fileURLToPath(new URL(name, import.meta.url))
}

function preload(...paths: readonly string[]): string {
  return paths.map((path) => `--require=${JSON.stringify(path)}`).join(' ')
}
