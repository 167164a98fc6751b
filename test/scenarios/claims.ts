import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { PROOF_FOLDERS, type ProofFolder } from './requirements.ts'

const ROOT = new URL('../../', import.meta.url).pathname

/** A test file says with `verifies('…')` that it proves a promise. */
export interface Claim {
  readonly id: string
  readonly folder: ProofFolder
  readonly file: string
}

/** Every claim in the sources, whether its test runs today or not. */
export function readClaims(): readonly Claim[] {
  return (Object.keys(PROOF_FOLDERS) as ProofFolder[]).flatMap(claimsIn)
}

function claimsIn(folder: ProofFolder): Claim[] {
  return testsIn(join(ROOT, PROOF_FOLDERS[folder])).flatMap((file) => {
    const source = readFileSync(file, 'utf8')
    const calls = [...source.matchAll(/\bverifies\(([^)]*)\)/g)].map(([, ids = '']) => ids)
    const ids = calls.flatMap((call) => [...call.matchAll(/'([^']+)'/g)].map(([, id = '']) => id))
    return ids.map((id) => ({ id, folder, file: file.slice(ROOT.length) }))
  })
}

function testsIn(folder: string): string[] {
  const names = readdirSync(folder, { recursive: true, encoding: 'utf8' })
  const own = names.filter((name) => name.endsWith('.test.ts') && !name.includes('node_modules'))
  return own.map((name) => join(folder, name))
}
