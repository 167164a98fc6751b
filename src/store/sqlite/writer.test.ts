import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { temporaryFolder } from '../../../test/helpers/temp.ts'
import { PosternError } from '../../model/errors.ts'
import type { Connection } from './connection.ts'
import { LogEnd } from './log-end.ts'
import { Writer } from './writer.ts'

interface Circumstances {
  readonly busy?: number
  readonly onBusy?: () => void
  readonly now?: () => number
  /** The observer throws this before the commit. */
  readonly refusal?: unknown
  readonly gather?: () => Promise<void>
}

/** Stands in for an engine whose statements fail as told and that is busy at first; what it ran is kept. */
function createEngine(
  failures: Readonly<Record<string, unknown>> = {},
  {
    busy = 0,
    onBusy = () => {},
    now = () => performance.now(),
    refusal,
    gather = () => Promise.resolve(),
  }: Circumstances = {},
) {
  const ran: string[] = []
  const observed: string[] = []
  let waited = true
  const connection = {
    path: 'x.db',
    run(text: string) {
      if (text === 'BEGIN IMMEDIATE' && busy-- > 0) {
        onBusy()
        throw engineError(5)
      }
      ran.push(text)
      if (text in failures) throw failures[text]
      return 0
    },
    waitForDisk(waits: boolean) {
      if (waits !== waited) ran.push(waits ? 'wait for the disk' : 'do not wait')
      waited = waits
    },
    get: () => [0, 0, 0],
  } as unknown as Connection
  let given = 0
  const writer = new Writer({
    path: 'x.db',
    connect: async () => connection,
    giveUp: () => {
      given++
    },
    random: () => 0,
    now,
    busyMs: 20,
    logEnd: new LogEnd(join(temporaryFolder(), 'x.db')),
    takeTurn: async () => {
      ran.push('line up')
      return { end: () => ran.push('end of turn') }
    },
    observer: {
      begin: () => {},
      takeBack: () => observed.push('take back'),
      beforeCommit: () => {
        observed.push(ran.includes('COMMIT') ? 'too late' : 'before the commit')
        if (refusal) throw refusal
      },
    },
    tendLog: () => {},
    gather,
  })
  return { writer, ran, observed, givenUp: () => given }
}

const engineError = (errcode: number) => Object.assign(new Error(`engine error ${errcode}`), { errcode })
const outcomes = (verbs: readonly Promise<unknown>[]) => Promise.allSettled(verbs)

describe('the writer', () => {
  it('takes all verbs of a turn into one transaction and answers them after its commit', async () => {
    const { writer, ran } = createEngine()
    expect(await Promise.all([1, 2, 3].map((n) => writer.transact(async () => n)))).toEqual([1, 2, 3])
    expect(ran.filter((text) => text === 'COMMIT')).toHaveLength(1)
  })

  it('takes what comes while it gathers into the same transaction', async () => {
    const gathered = Promise.withResolvers<void>()
    const { writer, ran } = createEngine({}, { gather: () => gathered.promise })
    const first = writer.transact(async () => 1)
    await new Promise(setImmediate)
    const second = writer.transact(async () => 2)
    gathered.resolve()
    expect(await Promise.all([first, second])).toEqual([1, 2])
    expect(ran.filter((text) => text === 'COMMIT')).toHaveLength(1)
  })

  it('takes back only the verb that fails', async () => {
    const { writer, ran } = createEngine()
    const failing = writer.transact(() => Promise.reject(new Error('no')))
    const results = await outcomes([writer.transact(async () => 'a'), failing, writer.transact(async () => 'b')])
    expect(results.map(({ status }) => status)).toEqual(['fulfilled', 'rejected', 'fulfilled'])
    expect(ran).toContain('ROLLBACK TO verb')
    expect(ran.at(-1)).toBe('COMMIT')
  })

  it('needs no savepoint for a verb that checks first, and refuses it alone', async () => {
    const { writer, ran } = createEngine()
    const push = (verb: () => Promise<unknown>) => writer.transact(verb, { isCheckedFirst: true })
    const refused = () => Promise.reject(new PosternError('AGENT_NOT_FOUND', { id: 'nobody' }))
    const results = await outcomes([push(async () => 'a'), push(refused), push(async () => 'b')])
    expect(results.map(({ status }) => status)).toEqual(['fulfilled', 'rejected', 'fulfilled'])
    expect(ran).toEqual(['BEGIN IMMEDIATE', 'COMMIT'])
  })

  it('gives all of a group savepoints where one of them does not check first', async () => {
    const { writer, ran } = createEngine()
    await Promise.all([
      writer.transact(async () => 1, { isCheckedFirst: true }),
      writer.transact(async () => 2),
      writer.transact(async () => 3, { isCheckedFirst: true }),
    ])
    expect(ran.filter((text) => text === 'SAVEPOINT verb')).toHaveLength(3)
  })

  it('does a group again with savepoints where a verb that checks first fails half-way', async () => {
    const { writer, ran } = createEngine()
    const calls = { first: 0, refused: 0, broken: 0, last: 0 }
    const push = (name: keyof typeof calls, error?: Error) =>
      writer.transact(
        async () => {
          calls[name]++
          if (error) throw error
        },
        { isCheckedFirst: true },
      )
    const results = await outcomes([
      push('first'),
      push('refused', new PosternError('AGENT_NOT_FOUND', { id: 'nobody' })),
      push('broken', engineError(19)),
      push('last'),
    ])
    expect(results.map(({ status }) => status)).toEqual(['fulfilled', 'rejected', 'rejected', 'fulfilled'])
    expect(calls, 'who was refused is not tried again').toEqual({ first: 2, refused: 1, broken: 2, last: 1 })
    expect(ran.filter((text) => /BEGIN|COMMIT|^ROLLBACK/.test(text))).toEqual([
      'BEGIN IMMEDIATE',
      'ROLLBACK',
      'BEGIN IMMEDIATE',
      'ROLLBACK TO verb',
      'COMMIT',
    ])
  })

  it('rejects everybody where the commit fails', async () => {
    const { writer } = createEngine({ COMMIT: engineError(13) })
    const results = await outcomes([writer.transact(async () => 1), writer.transact(async () => 2)])
    expect(results).toMatchObject([
      { status: 'rejected', reason: { code: 'STORE_FULL' } },
      { status: 'rejected', reason: { code: 'STORE_FULL' } },
    ])
  })

  it('answers those who had no turn yet where the engine fails in mid-group, and gives the connection up', async () => {
    const { writer, givenUp } = createEngine()
    const broken = writer.transact(() => Promise.reject(engineError(10)))
    const results = await outcomes([writer.transact(async () => 1), broken, writer.transact(async () => 3)])
    expect(results.map(({ status }) => status)).toEqual(['rejected', 'rejected', 'rejected'])
    expect(givenUp()).toBe(1)
  })

  it('says what failed first where the engine has rolled back by itself', async () => {
    const { writer } = createEngine({ 'ROLLBACK TO verb': new Error('no such savepoint') })
    const full = writer.transact(() => Promise.reject(engineError(13)))
    const results = await outcomes([full, writer.transact(async () => 2)])
    expect(results).toMatchObject([{ reason: { code: 'STORE_FULL' } }, { reason: { code: 'STORE_FULL' } }])
  })

  it('does not wait for the disk where nothing of a group has to last', async () => {
    const { writer, ran } = createEngine()
    await writer.transact(async () => 1, { isDurable: false })
    expect(ran).toEqual(['do not wait', 'BEGIN IMMEDIATE', 'COMMIT', 'wait for the disk'])
  })

  it('waits for the disk where anything of a group has to last', async () => {
    const { writer, ran } = createEngine()
    await Promise.all([writer.transact(async () => 1, { isDurable: false }), writer.transact(async () => 2)])
    expect(ran.filter((text) => text === 'COMMIT')).toHaveLength(1)
    expect(ran).not.toContain('do not wait')
  })

  it('leaves what has to last to the next group where it came while the lock was waited for', async () => {
    const { writer, ran } = createEngine({}, { busy: 1, onBusy: () => void writer.transact(async () => 2) })
    await writer.transact(async () => 1, { isDurable: false })
    await writer.idle()
    expect(ran.filter((text) => /COMMIT|wait/.test(text)).slice(-4)).toEqual([
      'do not wait',
      'COMMIT',
      'wait for the disk',
      'COMMIT',
    ])
  })

  it('waits no longer for other processes than the most patient verb', async () => {
    const { writer } = createEngine({ 'BEGIN IMMEDIATE': engineError(5) })
    await expect(writer.transact(async () => 1, { patienceMs: 0 })).rejects.toMatchObject({ code: 'STORE_BUSY' })
  })

  it('lines up where somebody else writes, and leaves the line as soon as it may write', async () => {
    const { writer, ran } = createEngine({}, { busy: 2, now: () => 0 })
    await writer.transact(async () => 1)
    expect(ran).toEqual(['line up', 'BEGIN IMMEDIATE', 'end of turn', 'COMMIT'])
    await writer.transact(async () => 2)
    expect(ran.slice(4)).toEqual(['BEGIN IMMEDIATE', 'COMMIT'])
  })

  it('lines up before it asks for a while, after it had to wait for several others', async () => {
    let waitedMs = 1
    const { writer, ran } = createEngine({}, { busy: 1, now: () => waitedMs++ })
    await writer.transact(async () => 1)
    waitedMs = Number.NaN
    for (let i = 0; i < 20; i++) await writer.transact(async () => 2)
    const lines = ran
      .join(' ')
      .split('COMMIT')
      .map((each) => each.includes('line up BEGIN IMMEDIATE'))
    expect(lines.filter((isLinedUp) => isLinedUp)).toHaveLength(1 + 16)
    expect(lines.slice(0, 17)).not.toContain(false)
  })

  it('does not line up because its own connection was slow to open', async () => {
    let clock = 0
    const { writer, ran } = createEngine({}, { now: () => (clock += 10) })
    for (const _ of [1, 2]) await writer.transact(async () => 0)
    expect(ran).not.toContain('line up')
  })

  it('waits for the disk again where a group came to nothing', async () => {
    const { writer, ran } = createEngine({ COMMIT: engineError(13) })
    await outcomes([writer.transact(async () => 1, { isDurable: false })])
    expect(ran.at(-1)).toBe('wait for the disk')
    const busy = createEngine({ 'BEGIN IMMEDIATE': engineError(5) })
    await outcomes([busy.writer.transact(async () => 1, { isDurable: false, patienceMs: 1 })])
    expect(busy.ran.filter((text) => /wait/.test(text)).at(-1)).toBe('wait for the disk')
  })

  it('leaves the line where its patience is over', async () => {
    const { writer, ran } = createEngine({ 'BEGIN IMMEDIATE': engineError(5) })
    await expect(writer.transact(async () => 1, { patienceMs: 1 })).rejects.toMatchObject({ code: 'STORE_BUSY' })
    expect(ran.at(-1)).toBe('end of turn')
  })

  it('calls the observer once before a group commits', async () => {
    const { writer, observed } = createEngine()
    await Promise.all([1, 2, 3].map((n) => writer.transact(async () => n)))
    expect(observed).toEqual(['before the commit'])
  })

  it('rolls a group back if the observer refuses the commit', async () => {
    const { writer, ran, givenUp } = createEngine(
      {},
      { refusal: new PosternError('STORE_IO', { path: 'x', reason: 'y' }) },
    )
    const results = await outcomes([writer.transact(async () => 1), writer.transact(async () => 2)])
    expect(results).toMatchObject([{ reason: { code: 'STORE_IO' } }, { reason: { code: 'STORE_IO' } }])
    expect(ran).not.toContain('COMMIT')
    expect(ran.at(-1)).toBe('ROLLBACK')
    expect(givenUp()).toBe(0)
  })

  it('tells the observer of each verb that was rolled back, and of no commit if none is left', async () => {
    const { writer, observed } = createEngine()
    const failing = () => writer.transact(() => Promise.reject(new Error('no')))
    await outcomes([writer.transact(async () => 1), failing()])
    expect(observed).toEqual(['take back', 'before the commit'])
    await outcomes([failing()])
    expect(observed.slice(2)).toEqual(['take back'])
  })

  it('starts again after it was idle', async () => {
    const { writer } = createEngine()
    await writer.transact(async () => 1)
    await writer.idle()
    expect(await writer.transact(async () => 2)).toBe(2)
  })
})
