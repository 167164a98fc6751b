import { readFileSync } from 'node:fs'
import { basename } from 'node:path'
import { ancestors, type ProcessId } from './processes.ts'

const SHELLS = new Set(['sh', 'bash', 'dash', 'zsh', 'fish', 'ash', 'ksh', 'busybox', 'env', 'timeout', 'npx', 'npm'])

/**
 * The program that started this process on purpose: the nearest one above it that is no shell. Programs start their
 * hooks through a shell, which is gone a moment later.
 */
export function hostProcessAbove(pid: number): ProcessId | undefined {
  return ancestors(pid).find(({ pid: each }) => !SHELLS.has(nameOf(each)))
}

function nameOf(pid: number): string {
  try {
    return basename(readFileSync(`/proc/${pid}/comm`, 'utf8').trim())
  } catch {
    return ''
  }
}
