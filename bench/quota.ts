import { existsSync, mkdirSync, rmdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

/** A part of a core that a process has for itself, as on a small machine of its own. */
export interface Quota {
  /** Once the process has ended. */
  remove(): void
}

const ROOT = '/sys/fs/cgroup'
/** Short, so that a process that has used up its part goes on soon. */
const PERIOD_US = 10_000

/** Gives a process so much of a core at most. Throws where the kernel does not let us. */
export function holdTo(pid: number, cores: number): Quota {
  const isFirst = existsSync(join(ROOT, 'cpu'))
  const folder = join(ROOT, isFirst ? 'cpu' : '', `postern-bench-${pid}`)
  mkdirSync(folder)
  const quota = String(cores * PERIOD_US)
  if (isFirst) {
    writeFileSync(join(folder, 'cpu.cfs_period_us'), String(PERIOD_US))
    writeFileSync(join(folder, 'cpu.cfs_quota_us'), quota)
  } else writeFileSync(join(folder, 'cpu.max'), `${quota} ${PERIOD_US}`)
  writeFileSync(join(folder, 'cgroup.procs'), String(pid))
  return { remove: () => rmdirSync(folder) }
}
