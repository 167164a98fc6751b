/**
 * A quiet file says that certainly nothing waits for an agent. The store makes and removes it, and the launcher of the
 * hooks, a shell script, leaves without starting anything where it finds one. Both take its place and form from here:
 *
 *   <folder of the store>/quiet/<agent>
 *
 *   <boot id>                 it counts until the machine is started again
 *   <path of a spool>         any number of files that must be empty or absent as well
 */
export const QUIET_FOLDER = 'quiet'

/** The launcher touches `<folder of the store>/live/<agent>` when it leaves so, if there is such a folder. */
export const LIVE_FOLDER = 'live'

/**
 * Hooks keep a copy of a session's gates in `<home>/shadow/<agent>.<session>.json`. While an agent has one it gets no
 * quiet file, because the store may be a new one that does not know those gates.
 */
export const SHADOW_FOLDER = 'shadow'

/** Where the kernel names the time since it was started. Without this file there are no quiet files. */
export const BOOT_ID_FILE = '/proc/sys/kernel/random/boot_id'

/** Undefined where it cannot be said line by line; then the agent is not quiet. */
export function formatQuiet(bootId: string, spools: readonly string[]): string | undefined {
  const lines = [bootId, ...spools]
  if (lines.some((line) => line === '' || /[\n\r\0]/.test(line))) return undefined
  return `${lines.join('\n')}\n`
}
