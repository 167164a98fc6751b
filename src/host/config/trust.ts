import { readFileSync, realpathSync, renameSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { sha256 } from '../../kit/node/crypto.ts'
import { makePrivateFolder } from '../../kit/node/folders.ts'
import { readConfigText } from './config-text.ts'

export const TRUST_FILE = 'trusted.json'

/** Whether the user trusts a file with exactly this content. A changed file must be trusted again. */
export function isTrusted(home: string, path: string, text: string): boolean {
  const known = readTrust(home)[realpathSync(path)]
  return known !== undefined && known === sha256(text)
}

/** Whether a file was trusted and has changed since. */
export function isChangedSinceTrusted(home: string, path: string): boolean {
  const known = readTrust(home)[realpathSync(path)]
  return known !== undefined && known !== sha256(readConfigText(path))
}

export function setTrust(home: string, path: string, trusted: boolean): void {
  const { [realpathSync(path)]: _, ...others } = readTrust(home)
  const next = trusted ? { ...others, [realpathSync(path)]: sha256(readConfigText(path)) } : others
  makePrivateFolder(home)
  const file = join(home, TRUST_FILE)
  writeFileSync(`${file}.new`, `${JSON.stringify(next, null, 2)}\n`, { mode: 0o600 })
  renameSync(`${file}.new`, file)
}

function readTrust(home: string): Record<string, string> {
  try {
    return JSON.parse(readFileSync(join(home, TRUST_FILE), 'utf8'))
  } catch {
    return {}
  }
}
