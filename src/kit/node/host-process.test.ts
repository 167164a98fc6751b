import { execFileSync } from 'node:child_process'
import { symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { temporaryFolder } from '../../../test/helpers/temp.ts'

const MODULE = new URL('./host-process.ts', import.meta.url).href

/** What is found by a process that runs in shells below a program of this file name, which Node runs or not. */
function findBelow(file: string, names: readonly string[]): { readonly found: number | null; readonly pid: number } {
  const path = join(temporaryFolder(), file)
  const look = `const { programAbove } = await import(${JSON.stringify(MODULE)}); console.log(programAbove(process.pid, ${JSON.stringify(names)})?.pid ?? null)`
  const program = `
    const { execFileSync } = require('node:child_process')
    const inShells = 'sh -c \\'"$NODE" --input-type=module -e "$SCRIPT"; true\\'; true'
    console.log(JSON.stringify({ found: JSON.parse(execFileSync('sh', ['-c', inShells], { encoding: 'utf8' })), pid: process.pid }))`
  if (file.endsWith('.js')) writeFileSync(path, program)
  else symlinkSync(process.execPath, path)
  const env = { ...process.env, NODE: process.execPath, SCRIPT: look, NODE_NO_WARNINGS: '1' }
  const [command, words] = file.endsWith('.js') ? [process.execPath, [path]] : [path, ['-e', program]]
  return JSON.parse(execFileSync(command, words, { encoding: 'utf8', env }))
}

describe('the program above a process', () => {
  it('is found by its name, through shells', () => {
    const { found, pid } = findBelow('hosty', ['hosty'])
    expect(found).toBe(pid)
  })

  it('is found by the name of what Node runs', () => {
    const { found, pid } = findBelow('hosty.js', ['other', 'hosty'])
    expect(found).toBe(pid)
  })

  it('is none where nothing above has that name', () => {
    expect(findBelow('somebodys-script.js', ['hosty']).found).toBeNull()
    expect(findBelow('hosty', []).found).toBeNull()
  })
})
