import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { describe, expect, it } from 'vitest'
import { type CommandOptions, postern } from '../../helpers/command.ts'
import { fastFolder } from '../../helpers/temp.ts'
import { warmPostern } from '../../helpers/warm-command.ts'
import { verifies } from '../verifies.ts'
import { LOCAL_LABEL, withPeople } from './people.ts'

async function withNotes(): Promise<CommandOptions> {
  const options = await withPeople()
  for (const text of ['first', 'second', 'third'])
    await warmPostern(options, 'note', 'post', 'task:A', '--agent', 'quinn', text)
  return options
}

const verify = (options: CommandOptions, what: string) => warmPostern(options, 'ledger', 'verify', what)

describe('a proof', () => {
  it('is checked by its file alone, and says which ledger it is of', async () => {
    verifies('S003.proof')
    const options = await withNotes()
    const proof = join(options.home, 'proof.jsonl')
    const exported = await postern(options, 'ledger', 'export', 'task:A', proof)
    expect(exported.stdout).toMatch(/^Exported: 3 entries of 0\.0\.\d+ to /)
    const elsewhere = { home: fastFolder() }
    const { exit, stdout } = await verify(elsewhere, proof)
    expect({ exit, stdout }).toMatchObject({ exit: 0 })
    expect(stdout).toMatch(/^0\.0\.\d+: good, 3 entries\n/)
    expect(stdout).toContain(LOCAL_LABEL)
    const claim = '"ledger":{"kind":"hedera","network":"mainnet","public_consensus":true}'
    writeFileSync(proof, readFileSync(proof, 'utf8').replace(/"ledger":\{[^}]*\}/, claim))
    expect((await verify(elsewhere, proof)).stdout).toContain('\nOnly the file says that this is on mainnet')
  })

  it('does not hold where anything of it was changed, left out or put in between', async () => {
    const options = await withNotes()
    const proof = join(options.home, 'proof.jsonl')
    await warmPostern(options, 'ledger', 'export', 'task:A', proof)
    const lines = readFileSync(proof, 'utf8').trimEnd().split('\n')
    const changes: Record<string, readonly string[]> = {
      'an entry that says something else': lines.with(2, (lines[2] ?? '').replace('"payer":"0.0.', '"payer":"0.0.9')),
      'an entry left out': lines.toSpliced(2, 1),
      'the last one left out': lines.slice(0, -1),
      'two that changed places': [lines[0] ?? '', lines[2] ?? '', lines[1] ?? '', lines[3] ?? ''],
    }
    for (const [change, text] of Object.entries(changes)) {
      writeFileSync(proof, `${text.join('\n')}\n`)
      const { exit, stdout } = await verify(options, proof)
      expect({ change, exit }).toEqual({ change, exit: 1 })
      expect(stdout, change).toMatch(/BAD at number \d/)
    }
  })

  it('is refused where it is none, and never written over a file', async () => {
    const options = await withNotes()
    const proof = join(options.home, 'proof.jsonl')
    writeFileSync(proof, 'something else\n')
    expect((await verify(options, proof)).stderr).toContain('[LEDGER_PROOF_INVALID]')
    expect((await verify(options, join(options.home, 'none.jsonl'))).stderr).toContain('[LEDGER_PROOF_INVALID]')
    const over = await warmPostern(options, 'ledger', 'export', 'task:A', proof)
    expect(over.exit).not.toBe(0)
    expect(readFileSync(proof, 'utf8')).toBe('something else\n')
  })
})

describe('a topic that was altered in the database by one byte', () => {
  it('is found, with its first bad entry and exit code 1', async () => {
    const options = await withNotes()
    const database = new DatabaseSync(join(options.home, 'postern.db'))
    const row = database.prepare('SELECT topic_id, message FROM ledger_entries WHERE sequence = 2').get()
    const message = Buffer.from(row?.['message'] as Uint8Array | string)
    message[0] = (message[0] ?? 0) ^ 1
    const altered = typeof row?.['message'] === 'string' ? message.toString() : message
    const topic = row?.['topic_id'] as string | number
    database.prepare('UPDATE ledger_entries SET message = ? WHERE topic_id = ? AND sequence = 2').run(altered, topic)
    database.close()

    const { exit, stdout } = await verify(options, 'task:A')
    expect(exit).toBe(1)
    expect(stdout).toMatch(/^0\.0\.\d+: BAD at number 2: /)
    const all = await warmPostern(options, 'ledger', 'verify', '--all', '--json')
    expect(all.exit).toBe(1)
    expect(JSON.parse(all.stdout)).toMatchObject({ isSound: false })
  })
})
