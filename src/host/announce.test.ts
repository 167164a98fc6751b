import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { DEAD_MACHINE_MS } from '../../test/helpers/patience.ts'
import { temporaryFolder } from '../../test/helpers/temp.ts'
import { createAnnouncer } from './announce.ts'

const hook = (command: string, priority = 25) => ({
  event: 'decision.responded',
  command,
  priority,
  timeoutMs: DEAD_MACHINE_MS,
})

describe('what has happened', () => {
  it('is handed to the commands that wait for it, in their order, as JSON', async () => {
    const file = join(temporaryFolder(), 'heard')
    const announce = createAnnouncer(
      [
        hook(`printf ' second' >> ${file}`, 30),
        hook(`cat >> ${file}`, 10),
        { ...hook(`printf never >> ${file}`), event: 'turn.stop' },
      ],
      () => {},
    )
    await announce('decision.responded', { decision: { id: 'dec_1' } })
    expect(readFileSync(file, 'utf8')).toBe('{"event":"decision.responded","decision":{"id":"dec_1"}} second')
  })

  it('is noted where a command fails or cannot be run, and fails nobody', async () => {
    const notes: unknown[] = []
    const announce = createAnnouncer([hook('exit 3'), hook('a\0b'), hook('true')], (event) => notes.push(event))
    await announce('decision.responded', {})
    expect(notes).toEqual(['user-hook.failed', 'user-hook.failed'])
  })
})
