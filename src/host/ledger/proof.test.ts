import { readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { temporaryFolder } from '../../../test/helpers/temp.ts'
import { runningHash } from '../../kit/node/running-hash.ts'
import type { LedgerEntry } from '../../model/ledger/entry.ts'
import type { LedgerDesk, ReadTopic, TopicPage } from '../../model/ledger/ledgers.ts'
import { GENESIS_HASH, type LedgerTopic } from '../../model/ledger/topic.ts'
import { exportProof, verifyProof } from './proof.ts'

const TOPIC_ID = '0.0.1005'
const COUNT = 1_203

/** A topic of so many entries, which grows while it is read. */
function deskOf(count: number, { isPublic = false, growing = 0 } = {}): Pick<LedgerDesk, 'read'> {
  const entries: LedgerEntry[] = []
  const add = () => {
    const sequence = entries.length + 1
    const message = Buffer.from(`number ${sequence}`).toString('base64')
    const consensusAt = `${1_800_000_000 + sequence}.000001000`
    const content = { topicId: TOPIC_ID, sequence, consensusAt, payer: '0.0.2', message }
    const hash = runningHash(entries.at(-1)?.runningHash ?? GENESIS_HASH, content)
    entries.push({ ...content, chunk: null, runningHash: hash })
  }
  while (entries.length < count) add()
  return {
    async read({ after = 0, limit = 100 }: ReadTopic): Promise<TopicPage> {
      const page = entries.slice(after, after + limit).map((entry) => ({ ...entry, text: null, body: null }))
      const topic = topicWith(entries)
      for (let more = 0; more < growing; more++) add()
      const network = isPublic ? 'testnet' : 'local'
      const ledger = { kind: isPublic ? 'hedera' : 'local', network, public_consensus: isPublic } as const
      return { ledger, topic, entries: page, next: null }
    },
  }
}

function topicWith(entries: readonly LedgerEntry[]): LedgerTopic {
  const { sequence = 0, runningHash: hash = GENESIS_HASH, consensusAt = null } = entries.at(-1) ?? {}
  const whose = { role: 'work', agent: null, entity: 'task:PROJ-12' } as const
  const keys = { adminKey: null, submitKey: null }
  const head = { sequence, runningHash: hash, consensusAt, takenIn: 0, trouble: null, createdAt: 1, deletedAt: null }
  return { id: TOPIC_ID, network: 'local', ...whose, memo: 'postern:task:PROJ-12', ...keys, ...head }
}

async function exported(count = COUNT) {
  const path = join(temporaryFolder(), 'proof.jsonl')
  await exportProof({ desk: deskOf(count), topic: TOPIC_ID, path })
  const lines = readFileSync(path, 'utf8').split('\n').slice(0, -1)
  const rewrite = (changed: readonly string[]) => writeFileSync(path, changed.map((line) => `${line}\n`).join(''))
  return { path, lines, rewrite }
}

describe('a proof', () => {
  it('holds all entries of a topic, and is checked by itself', async () => {
    const { path, lines } = await exported()
    expect(lines).toHaveLength(COUNT + 1)
    expect(JSON.parse(lines[0] ?? '')).toMatchObject({
      format: 'postern-ledger-proof',
      version: 1,
      ledger: { kind: 'local', network: 'local', public_consensus: false },
      label: 'local ledger: no public consensus',
      topic: TOPIC_ID,
      memo: 'postern:task:PROJ-12',
      sequence: COUNT,
    })
    expect(await verifyProof(path)).toMatchObject({ topic: TOPIC_ID, entries: COUNT, bad: null })
  })

  it('of a topic without entries is good too', async () => {
    const { path, lines } = await exported(0)
    expect([lines.length, await verifyProof(path)]).toMatchObject([1, { entries: 0, bad: null }])
  })

  it('ends where the topic ended when it was begun', async () => {
    const path = join(temporaryFolder(), 'proof.jsonl')
    const desk = deskOf(600, { growing: 10 })
    expect(await exportProof({ desk, topic: TOPIC_ID, path })).toMatchObject({ entries: 600, topic: TOPIC_ID })
    expect(await verifyProof(path)).toMatchObject({ entries: 600, bad: null })
  })

  it('says where others vouch for it too', async () => {
    const path = join(temporaryFolder(), 'proof.jsonl')
    await exportProof({ desk: deskOf(1, { isPublic: true }), topic: TOPIC_ID, path })
    expect((await verifyProof(path)).label).toBe('testnet: the entries stand on a public ledger too')
  })

  it('is not made of a topic whose beginning is not held here', async () => {
    const folder = temporaryFolder()
    const desk = { read: (input: ReadTopic) => deskOf(9).read({ ...input, after: input.after ?? 4 }) }
    const attempt = exportProof({ desk, topic: TOPIC_ID, path: join(folder, 'proof.jsonl') })
    await expect(attempt).rejects.toMatchObject({ code: 'VALUE_INVALID' })
    expect(readdirSync(folder)).toEqual([])
  })

  it('never takes the place of another file, and leaves nothing behind where it fails', async () => {
    const { path, lines } = await exported(3)
    const again = exportProof({ desk: deskOf(4), topic: TOPIC_ID, path })
    await expect(again).rejects.toMatchObject({ code: 'LEDGER_PROOF_FAILED', details: { reason: 'it exists already' } })
    expect(readFileSync(path, 'utf8').split('\n')).toHaveLength(lines.length + 1)
    const failing = {
      read: async (input: ReadTopic) => (input.after ? expect.fail('gone') : deskOf(COUNT).read(input)),
    }
    const folder = temporaryFolder()
    await expect(exportProof({ desk: failing, topic: TOPIC_ID, path: join(folder, 'x') })).rejects.toThrow('gone')
    expect(readdirSync(folder)).toEqual([])
  })

  it.each<[string, (lines: string[]) => string[], number]>([
    ['an entry was changed', (lines) => lines.map((line, at) => (at === 7 ? line.replace('0.0.2', '0.0.3') : line)), 7],
    ['an entry is missing', (lines) => lines.filter((_, at) => at !== 7), 7],
    ['two entries have changed places', ([head = '', a = '', b = '', ...more]) => [head, b, a, ...more], 1],
    ['its end was cut off', (lines) => lines.slice(0, 1_000), 1_000],
    ['more was put behind its end', (lines) => [...lines, lines.at(-1) ?? ''], COUNT + 1],
    [
      'its first line names another end',
      ([head = '', ...more]) => [head.replace(/"runningHash":"./, '"runningHash":"f'), ...more],
      COUNT,
    ],
  ])('names the first entry that is not as it must be: %s', async (_, change, bad) => {
    const { path, lines, rewrite } = await exported()
    rewrite(change(lines))
    expect(await verifyProof(path)).toMatchObject({ bad: { sequence: bad } })
  })

  it.each<[string, (lines: string[]) => string[]]>([
    ['it is empty', () => []],
    ['its first line does not say', () => ['{}']],
    ['its version is 2', ([head = '', ...more]) => [head.replace('"version":1', '"version":2'), ...more]],
    ['its first line is not whole', ([head = '', ...more]) => [head.replace('"memo"', '"omem"'), ...more]],
    [
      'its first line is not whole',
      ([head = '', ...more]) => [head.replace('"public_consensus":false', '"public_consensus":true'), ...more],
    ],
    ['line 3 is not a JSON object', ([head = '', one = '']) => [head, one, 'null']],
    ['line 2 is not an entry', ([head = '', one = '']) => [head, one.replace('"sequence":1', '"sequence":"1"')]],
    ['a line has more than', ([head = '']) => [head, 'x'.repeat(1_000_000)]],
  ])('cannot be read where %s', async (reason, change) => {
    const { path, lines, rewrite } = await exported(3)
    rewrite(change(lines))
    const attempt = verifyProof(path)
    await expect(attempt).rejects.toMatchObject({ code: 'LEDGER_PROOF_INVALID' })
    await expect(attempt).rejects.toThrow(reason)
  })

  it('cannot be read where it is no file, no text, or was cut within a line', async () => {
    const { path, lines } = await exported(3)
    await expect(verifyProof(`${path}-not`)).rejects.toThrow('there is no such file')
    await expect(verifyProof(join(path, '..'))).rejects.toMatchObject({ code: 'LEDGER_PROOF_INVALID' })
    writeFileSync(path, lines.join('\n'))
    await expect(verifyProof(path)).rejects.toThrow('its last line was cut off')
    writeFileSync(path, Buffer.from([0xff, 0xfe, 10]))
    await expect(verifyProof(path)).rejects.toThrow('it is not UTF-8')
  })
})
