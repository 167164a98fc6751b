import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { openLocal } from '../../src/host/open-local.ts'
import type { PushMessage } from '../../src/model/postern.ts'
import { ATTACKS, findBreaches, findTextBreaches } from '../helpers/attacks.ts'
import { postern } from '../helpers/command.ts'
import { temporaryFolder } from '../helpers/temp.ts'

/** An attack in every field that a sender fills freely. */
function attackEverywhere(text: string): PushMessage {
  const line = text.slice(0, 200)
  return {
    to: ['quinn'],
    content: text,
    subject: line,
    ref: line,
    payload: { [line]: text.slice(0, 4_000) },
    context: { note: text.slice(0, 4_000) },
    attachments: [{ name: line, path: line, url: line, sha256: 'a'.repeat(64), bytes: 1 }],
  }
}

describe('hostile messages at the command line', () => {
  it('break no fence and send nothing raw to a terminal, in any field of any output', async () => {
    const home = temporaryFolder()
    const store = await openLocal(join(home, 'postern.db'), { upkeep: false })
    await store.agents.add({ id: 'quinn' })
    const storable = ATTACKS.filter(({ text }) => text.isWellFormed() && !text.includes('\0') && text.trim() !== '')
    expect(storable.length).toBeGreaterThanOrEqual(300)
    const results = await store.inbox.pushMany({ messages: storable.map(({ text }) => attackEverywhere(text)) })
    await store.close()

    const options = { home }
    const outputs = await Promise.all([
      postern(options, 'inbox', 'list', '--limit', '1000'),
      postern(options, 'inbox', 'search', 'system*', '--limit', '1000'),
      postern(options, 'trace', results[0]?.id ?? ''),
    ])
    for (const { exit, stdout } of outputs) {
      expect(exit).toBe(0)
      expect(findTextBreaches(stdout)).toEqual([])
    }
    for (const { id } of results.filter((_, at) => at % 40 === 0)) {
      expect(findTextBreaches((await postern(options, 'inbox', 'show', id)).stdout)).toEqual([])
    }

    const drained = await postern(
      options,
      'inbox',
      'drain',
      '--agent',
      'quinn',
      '--limit',
      '1000',
      '--max-chars',
      '90000000',
    )
    const nonce = drained.stdout.match(/fence ([a-z0-9]{12})/)?.[1] ?? ''
    expect(findBreaches(drained.stdout.replace(/\n$/, ''), nonce)).toEqual([])
    expect(drained.stdout).toContain(`${storable.length} messages`)
  }, 180_000)
})
