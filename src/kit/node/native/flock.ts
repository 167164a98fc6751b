import { closeSync, constants, openSync } from 'node:fs'
import { loadSystemCalls } from './system-calls.ts'

/** An exclusive flock(2) on a file of its own. It goes with the process that holds it, however that ends. */
export interface Flock {
  /** True when the lock is ours; false where it was not to be had in time. One call at a time. */
  lock(timeoutMs: number): Promise<boolean>
  unlock(): void
  close(): void
}

const OPEN_FLAGS = constants.O_CREAT | constants.O_RDWR | constants.O_NOFOLLOW
const FILE_MODE = 0o600

/** Opens a lock file, making it if need be; undefined where this platform has no addon of ours. */
export function openFlock(path: string): Flock | undefined {
  const addon = loadSystemCalls()
  if (!addon) return undefined
  const fd = openSync(path, OPEN_FLAGS, FILE_MODE)
  let isOpen = true
  let isWaiting = false
  let onAnswer: ((isOurs: boolean) => void) | undefined

  /** A wait cannot be taken back: whoever asks again joins it, and what is got while nobody asks is let go at once. */
  function wait(): void {
    if (isWaiting) return
    isWaiting = true
    addon?.lock(fd, (errno) => {
      isWaiting = false
      if (onAnswer) onAnswer(errno === 0)
      else if (errno === 0 && isOpen) addon.unlock(fd)
    })
  }

  return {
    async lock(timeoutMs) {
      if (!isWaiting && addon.tryLock(fd)) return true
      const isOurs = await new Promise<boolean>((resolve) => {
        const timer = setTimeout(resolve, timeoutMs, false)
        onAnswer = (answer) => {
          clearTimeout(timer)
          resolve(answer)
        }
        wait()
      })
      onAnswer = undefined
      return isOurs
    },
    unlock() {
      if (isOpen) addon.unlock(fd)
    },
    close() {
      if (isOpen) closeSync(fd)
      isOpen = false
    },
  }
}

/**
 * Takes an exclusive flock(2) on a file that the caller has open; closing that lets it go. False where it was not to be
 * had in time: the caller must then close the file, because the lock may still come. Without the addon flock(1) does it,
 * to which the descriptor is handed down: a lock belongs to the open file, and stays when the helper has gone. Throws
 * where there is neither.
 */
export async function lockDescriptor(fd: number, timeoutMs: number): Promise<boolean> {
  const addon = loadSystemCalls()
  if (!addon) return lockByCommand(fd, timeoutMs)
  if (addon.tryLock(fd)) return true
  if (timeoutMs <= 0) return false
  return new Promise((resolve) => {
    const timer = setTimeout(resolve, timeoutMs, false)
    addon.lock(fd, (errno) => {
      clearTimeout(timer)
      resolve(errno === 0)
    })
  })
}

/** The same at once; false also where there is no addon. */
export function tryLockDescriptor(fd: number): boolean {
  return loadSystemCalls()?.tryLock(fd) === true
}

/** Lets go of such a lock and leaves the file open. False where that takes the addon: then only closing it does. */
export function unlockDescriptor(fd: number): boolean {
  const addon = loadSystemCalls()
  addon?.unlock(fd)
  return addon !== undefined
}

const INHERITED = 3

/** A thousand times slower than the addon, so only for files that are locked once in a while. */
export function lockByCommand(fd: number, timeoutMs: number): Promise<boolean> {
  const { spawn } = process.getBuiltinModule('node:child_process')
  const words = timeoutMs <= 0 ? ['-n', '-x', `${INHERITED}`] : ['-x', `${INHERITED}`]
  const helper = spawn('flock', words, { stdio: ['ignore', 'ignore', 'ignore', fd] })
  return new Promise((resolve, reject) => {
    const timer = timeoutMs <= 0 ? undefined : setTimeout(() => helper.kill('SIGKILL'), timeoutMs)
    helper.once('error', (cause) => {
      clearTimeout(timer)
      reject(new Error('flock(2) cannot be had here: neither the addon nor flock(1) is there', { cause }))
    })
    helper.once('close', (code) => {
      clearTimeout(timer)
      resolve(code === 0)
    })
  })
}
