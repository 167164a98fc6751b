import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname } from 'node:path'
import { describe, expect, it } from 'vitest'
import { DEAD_MACHINE_MS } from '../../test/helpers/patience.ts'
import { temporaryFolder } from '../../test/helpers/temp.ts'
import { appendEntry } from './append.ts'
import { spoolPath, statePath } from './path.ts'
import { offerCopies, rememberCopies, type SpoolCopy } from './shown.ts'

const LINES = ['{"content":"a","id":"a"}', '{"content":"b","dedup_key":"b"}', '{"content":"c"}', 'bad']

function makeSpool(lines: readonly string[] = LINES): string {
  const path = spoolPath(temporaryFolder(), 'ses-1')
  mkdirSync(dirname(path), { recursive: true })
  writeFileSync(path, `${lines.join('\n')}\n`)
  return path
}

type Choosing = (copies: readonly SpoolCopy[]) => readonly SpoolCopy[] | Promise<readonly SpoolCopy[]>

const offer = (path: string, now: number, choose: Choosing = (copies) => copies) =>
  offerCopies({ path, patienceMs: DEAD_MACHINE_MS, now, leaseMs: 100, choose: async (copies) => choose(copies) })
const contents = (copies: readonly SpoolCopy[]) => copies.map(({ entry, attempt }) => `${entry.content}${attempt}`)
const remember = (path: string, copies: readonly SpoolCopy[], at: number) =>
  rememberCopies({ path, patienceMs: DEAD_MACHINE_MS, names: copies.map(({ name }) => name), at, evidence: 'printed' })

describe('entries that are shown without the store', () => {
  it('stay in the spool, and nobody else is offered them meanwhile', async () => {
    const path = makeSpool()
    const before = readFileSync(path, 'utf8')
    expect(contents(await offer(path, 0))).toEqual(['a1', 'b1', 'c1'])
    expect(contents(await offer(path, 99))).toEqual([])
    expect(readFileSync(path, 'utf8')).toBe(before)
  })

  it('come again where they were not printed in time', async () => {
    const path = makeSpool()
    await offer(path, 0)
    expect(contents(await offer(path, 100))).toEqual(['a2', 'b2', 'c2'])
  })

  it('come again where the clock was set back since they were taken', async () => {
    const path = makeSpool()
    await offer(path, Date.UTC(2099, 0))
    expect(contents(await offer(path, Date.UTC(2026, 0)))).toEqual(['a2', 'b2', 'c2'])
  })

  it('never come again once they were remembered, under whatever line', async () => {
    const path = makeSpool([...LINES, LINES[1] ?? ''])
    const shown = await offer(path, 0)
    expect(contents(shown)).toEqual(['a1', 'b1', 'c1'])
    await remember(path, shown, 10)
    writeFileSync(path, `${LINES[0]}\n{"content":"d"}\n`, { flag: 'a' })
    expect(contents(await offer(path, 1_000_000))).toEqual(['d1'])
  })

  it('are only those that were chosen', async () => {
    const path = makeSpool()
    expect(contents(await offer(path, 0, (copies) => copies.slice(1, 2)))).toEqual(['b1'])
    expect(contents(await offer(path, 1))).toEqual(['a1', 'c1'])
  })

  it('are none where what is shown cannot be remembered', async () => {
    const path = makeSpool()
    mkdirSync(`${statePath(path)}.partial`)
    await expect(offer(path, 0)).rejects.toMatchObject({ trouble: 'unwritten' })
  })

  it('are each offered to one of sixteen who ask at once', async () => {
    const path = makeSpool(Array.from({ length: 40 }, (_, at) => JSON.stringify({ content: `${at}` })))
    const few = (copies: readonly SpoolCopy[]) => copies.slice(0, 3)
    const offered = await Promise.all(Array.from({ length: 16 }, () => offer(path, 0, few)))
    const all = offered.flat().map(({ name }) => name)
    expect(all).toHaveLength(40)
    expect(new Set(all).size).toBe(40)
  })

  it('are chosen while the spool is not locked, so producers do not wait', async () => {
    const path = makeSpool()
    const append = () => appendEntry({ path, patienceMs: 0, entry: { content: 'd', priority: 2 } })
    let isAppended = false
    const chosen = await offer(path, 0, async (copies) => {
      if (!isAppended) await append()
      isAppended = true
      return copies
    })
    expect(contents(chosen)).toEqual(['a1', 'b1', 'c1'])
    expect(contents(await offer(path, 1))).toEqual(['d1'])
  })

  it('are chosen again where another has taken one of them meanwhile', async () => {
    const path = makeSpool()
    const looks: string[][] = []
    const chosen = await offer(path, 0, async (copies) => {
      looks.push(contents(copies))
      if (looks.length === 1) await offer(path, 0, (all) => all.slice(0, 1))
      return copies
    })
    expect(looks).toEqual([
      ['a1', 'b1', 'c1'],
      ['b1', 'c1'],
    ])
    expect(contents(chosen)).toEqual(['b1', 'c1'])
  })

  it('are none where there is no spool; to remember them then does nothing', async () => {
    const path = spoolPath(temporaryFolder(), 'ses-1')
    expect(await offer(path, 0)).toEqual([])
    await rememberCopies({ path, patienceMs: 10, names: ['id a'], at: 1, evidence: 'printed' })
    expect(existsSync(dirname(path))).toBe(false)
  })
})
