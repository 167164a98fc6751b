import { readdirSync, type Stats, statSync } from 'node:fs'

/** True if another process of this user is seen to have the file open. Only Linux shows that. */
export function isOpenSomewhere(path: string): boolean {
  const file = statSync(path)
  return list('/proc')
    .filter((name) => /^[1-9]\d*$/.test(name) && name !== String(process.pid))
    .some((pid) => list(`/proc/${pid}/fd`).some((name) => isSame(`/proc/${pid}/fd/${name}`, file)))
}

function isSame(path: string, { ino, dev }: Stats): boolean {
  try {
    const stat = statSync(path, { throwIfNoEntry: false })
    return stat?.ino === ino && stat.dev === dev
  } catch {
    return false
  }
}

/** Nothing where the folder is missing, is not ours, or has gone. */
function list(folder: string): readonly string[] {
  try {
    return readdirSync(folder)
  } catch {
    return []
  }
}
