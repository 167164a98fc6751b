import { spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import fs, {
  appendFileSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { syncBuiltinESMExports } from 'node:module'
import { dirname, join } from 'node:path'
import { setImmediate as nextTurn } from 'node:timers/promises'
import { describe, expect, it, onTestFinished } from 'vitest'
import { DEAD_MACHINE_MS } from '../../test/helpers/patience.ts'
import { temporaryFolder } from '../../test/helpers/temp.ts'
import { quarantinePath, spoolPath, statePath } from './path.ts'
import { writeState } from './state.ts'
import { type TakenEntry, type TakeOptions, takeSpool, type Verdict } from './take.ts'

function makeSpool(text: string): string {
  const path = spoolPath(temporaryFolder(), 'ses-1')
  mkdirSync(dirname(path), { recursive: true })
  writeFileSync(path, text)
  return path
}

const entry = (content: string, more: object = {}) => `${JSON.stringify({ content, ...more })}\n`

/** Takes and remembers what was delivered; every entry meets the same verdict unless told otherwise. */
async function take(
  path: string,
  verdictOn: (taken: TakenEntry) => Verdict = () => 'done',
  more: Partial<TakeOptions> = {},
) {
  const delivered: TakenEntry[] = []
  const taken = await takeSpool({
    path,
    patienceMs: 1_000,
    now: Date.now(),
    deliver: async (entries) => {
      delivered.push(...entries)
      return entries.map(verdictOn)
    },
    ...more,
  })
  return { taken, delivered, contents: delivered.map((each) => each.entry.content) }
}

const text = (path: string) => readFileSync(path, 'utf8')

describe('to take', () => {
  it('hands over every entry in order and leaves an empty file in its place', async () => {
    const path = makeSpool(entry('one') + entry('two', { id: 'x', priority: 0 }) + entry('three', { dedup_key: 'k' }))
    const { ino } = statSync(path)
    const { taken, delivered, contents } = await take(path)
    expect(taken).toEqual({ done: 3, kept: 0, quarantined: 0, isMore: false })
    expect(contents).toEqual(['one', 'two', 'three'])
    expect(delivered.map(({ place }) => place !== undefined)).toEqual([true, false, false])
    expect(statSync(path)).toMatchObject({ ino, size: 0 })
    expect(readdirSync(dirname(path))).toEqual(['ses-1.jsonl'])
  })

  it('does nothing where there is no file or an empty one', async () => {
    const path = makeSpool('')
    expect((await take(path)).taken.done).toBe(0)
    rmSync(dirname(dirname(path)), { recursive: true })
    expect((await take(path)).taken.done).toBe(0)
    expect(existsSync(dirname(path))).toBe(false)
    writeFileSync(dirname(dirname(path)), 'a file where a folder should be')
    expect((await take(path)).taken.done).toBe(0)
  })

  it('changes nothing where the delivery fails', async () => {
    const path = makeSpool(`${entry('one')}bad\n`)
    const deliver = () => Promise.reject(new Error('the store is away'))
    await expect(take(path, undefined, { deliver })).rejects.toThrow('the store is away')
    expect(text(path)).toBe(`${entry('one')}bad\n`)
    expect(existsSync(quarantinePath(path))).toBe(false)
  })

  it('holds the lock until it is done, and not longer', async () => {
    const path = makeSpool(entry('one'))
    const isFree = () => spawnSync('flock', ['-n', path, 'true']).status === 0
    const { contents } = await take(path, () => (isFree() ? 'kept' : 'done'))
    expect(contents).toEqual(['one'])
    expect(text(path)).toBe('')
    expect(isFree()).toBe(true)
  })

  it('gives up where somebody else holds the lock for too long', async () => {
    const path = makeSpool(entry('one'))
    const holder = spawn('flock', ['-o', path, 'sh', '-c', 'echo held; exec sleep 60'], {
      stdio: ['ignore', 'pipe', 'ignore'],
    })
    onTestFinished(() => {
      holder.kill('SIGKILL')
    })
    await once(holder.stdout, 'data')
    await expect(take(path, undefined, { patienceMs: 30 })).rejects.toMatchObject({ trouble: 'busy' })
    expect(text(path)).toBe(entry('one'))
  })

  it('finds what a writer appended while it waited for the lock', async () => {
    const path = makeSpool(entry('one'))
    const script = `exec 9>>"$1"; flock -x 9; echo held; read -r _; printf '%s\\n' '{"content":"two"}' >&9`
    const writer = spawn('sh', ['-c', script, 'sh', path], { stdio: ['pipe', 'pipe', 'inherit'] })
    await once(writer.stdout, 'data')
    const taking = take(path, undefined, { patienceMs: DEAD_MACHINE_MS })
    writer.stdin.end('go\n')
    expect((await taking).contents).toEqual(['one', 'two'])
  })

  it('goes on with the file that the path names, though the one it waited for was replaced', async () => {
    const path = makeSpool(entry('old'))
    const holder = spawn('flock', ['-o', path, 'sh', '-c', 'echo held; exec sleep 60'], {
      stdio: ['ignore', 'pipe', 'ignore'],
    })
    await once(holder.stdout, 'data')
    const taking = take(path, undefined, { patienceMs: DEAD_MACHINE_MS })
    writeFileSync(`${path}.new`, entry('new'))
    renameSync(`${path}.new`, path)
    holder.kill('SIGKILL')
    expect((await taking).contents).toEqual(['new'])
  })

  it.each(['a link', 'a pipe'])('refuses %s', async (what) => {
    const path = makeSpool('')
    const target = `${path}.target`
    writeFileSync(target, entry('one'))
    rmSync(path)
    if (what === 'a link') symlinkSync(target, path)
    else spawnSync('mkfifo', [path])
    await expect(take(path)).rejects.toMatchObject({ trouble: 'refused' })
    expect(text(target)).toBe(entry('one'))
  })
})

describe('bad lines', () => {
  it('go to quarantine as they are, with the reason, and hold up nobody', async () => {
    const bad = Buffer.concat([
      Buffer.from('not json\n{"content":"'),
      Buffer.from([0xff, 0xfe]),
      Buffer.from('"}\n[]\n'),
    ])
    const path = makeSpool(entry('one'))
    appendFileSync(path, bad)
    appendFileSync(path, `${entry('refused')}${entry('two')}{"content":"torn`)
    const { taken, contents } = await take(path, (each) =>
      each.entry.content === 'refused' ? { fault: 'the content\nis refused' } : 'done',
    )
    expect(contents).toEqual(['one', 'refused', 'two'])
    expect(taken).toEqual({ done: 2, kept: 0, quarantined: 5, isMore: false })
    expect(text(path)).toBe('')
    const kept = readFileSync(quarantinePath(path))
    expect(kept.includes(Buffer.from([0xff, 0xfe]))).toBe(true)
    const lines = kept.toString('latin1').split('\n')
    expect(lines.filter((each) => each.startsWith('#')).map((each) => each.replace(/^# \S+ /, ''))).toEqual([
      'it is not JSON',
      'it is not UTF-8',
      'it is not a JSON object',
      'it is not JSON',
      'the content is refused',
    ])
    expect(lines).toContain('{"content":"torn')
    expect(lines).toContain('{"content":"refused"}')
    expect(statSync(quarantinePath(path)).mode & 0o777).toBe(0o600)
  })

  it('may be a last line that was torn, unless it is whole but for its end', async () => {
    const path = makeSpool(`${entry('one')}{"content":"two"}`)
    expect((await take(path)).contents).toEqual(['one', 'two'])
    expect(existsSync(quarantinePath(path))).toBe(false)
  })

  it('may be longer than any entry', async () => {
    const path = makeSpool(`${entry('one')}${'x'.repeat(5_000_000)}\n${entry('two')}`)
    const { taken, contents } = await take(path)
    expect(contents).toEqual(['one', 'two'])
    expect(taken.quarantined).toBe(1)
    expect(statSync(quarantinePath(path)).size).toBeGreaterThan(5_000_000)
  })

  it.each(['a file', 'a link'])('stay where they are if %s is where their folder should be', async (what) => {
    const path = makeSpool(`bad\n${entry('one')}`)
    const folder = dirname(quarantinePath(path))
    const elsewhere = temporaryFolder()
    if (what === 'a file') writeFileSync(folder, '')
    else symlinkSync(elsewhere, folder)
    expect((await take(path)).taken).toMatchObject({ done: 1, kept: 1, quarantined: 0 })
    expect(text(path).trim()).toBe('bad')
    expect(readdirSync(elsewhere)).toEqual([])
    rmSync(folder)
    expect((await take(path)).taken).toMatchObject({ done: 0, kept: 0, quarantined: 1 })
    expect(text(path)).toBe('')
  })
})

describe('what is kept', () => {
  it('stays in its place, while the rest goes', async () => {
    const path = makeSpool(entry('one') + entry('full') + entry('two'))
    const isFull = ({ entry: { content } }: TakenEntry): Verdict => (content === 'full' ? 'kept' : 'done')
    expect((await take(path, isFull)).taken).toMatchObject({ done: 2, kept: 1 })
    const { size } = statSync(path)
    appendFileSync(path, entry('three'))
    expect(text(path).trim().split(/\n+/)).toHaveLength(2)
    expect((await take(path)).contents).toEqual(['full', 'three'])
    expect(size).toBe((entry('one') + entry('full') + entry('two')).length)
    expect(text(path)).toBe('')
  })

  it('is more than one take looks at, and comes with the next', async () => {
    const all = Array.from({ length: 25 }, (_, at) => `${at}`)
    const path = makeSpool(all.map((each) => entry(each)).join(''))
    const found: string[] = []
    for (let isMore = true; isMore; ) {
      const { taken, contents } = await take(path, undefined, { maxEntries: 10 })
      found.push(...contents)
      isMore = taken.isMore
    }
    expect(found).toEqual(all)
    expect(text(path)).toBe('')
  })
})

describe('an entry without a name', () => {
  it('is called the same when it has to be taken again, wherever new ones stand', async () => {
    const path = makeSpool(entry('twice') + entry('twice'))
    const first = await take(path, () => 'kept')
    expect(new Set(first.delivered.map(({ place }) => place)).size).toBe(2)
    appendFileSync(path, entry('twice'))
    const second = await take(path)
    expect(second.delivered.slice(0, 2)).toEqual(first.delivered)
    expect(new Set(second.delivered.map(({ place }) => place)).size).toBe(3)
  })

  it('is called otherwise once the spool was emptied, by us or by anybody', async () => {
    const path = makeSpool(entry('same'))
    const names = new Set<string | undefined>()
    const note = async (verdict: Verdict) => {
      for (const { place } of (await take(path, () => verdict)).delivered) names.add(place)
    }
    await note('done')
    writeFileSync(path, entry('same'))
    await note('kept')
    writeFileSync(path, entry('other'))
    await note('kept')
    expect(names.size).toBe(3)
  })

  it('has its name on the disk before it leaves', async () => {
    const path = makeSpool(entry('one'))
    let state = ''
    await take(path, ({ place }) => {
      state = text(statePath(path))
      expect(place?.startsWith(`${JSON.parse(state).batch}:`)).toBe(true)
      return 'done'
    })
    expect(state).not.toBe('')
    expect(existsSync(statePath(path))).toBe(false)
  })

  it('is gone from the disk before its name is', async () => {
    const path = makeSpool(entry('one'))
    const calls: string[] = []
    for (const name of ['writeSync', 'fsyncSync', 'rmSync', 'ftruncateSync'] as const) {
      const call = fs[name] as (...words: unknown[]) => unknown
      Object.assign(fs, { [name]: (...words: unknown[]) => [calls.push(name), call(...words)][1] })
      onTestFinished(() => {
        Object.assign(fs, { [name]: call })
        syncBuiltinESMExports()
      })
    }
    syncBuiltinESMExports()
    await take(path, () => {
      calls.splice(0)
      return 'done'
    })
    expect(calls).toEqual(['writeSync', 'fsyncSync', 'rmSync', 'ftruncateSync'])
  })

  it('is delivered even where its name cannot be kept', async () => {
    const path = makeSpool(entry('one'))
    mkdirSync(`${statePath(path)}.partial`)
    expect((await take(path)).contents).toEqual(['one'])
  })

  it('is not confused by a state that is broken', async () => {
    const path = makeSpool(entry('one'))
    writeFileSync(statePath(path), '{"batch":')
    expect((await take(path)).contents).toEqual(['one'])
    expect(text(path)).toBe('')
  })

  it('is not confused by a state that says odd things of its lines', async () => {
    const odd = [null, 7, 'x', {}, { attempt: 1, until: 'x', at: null }, { attempt: 1, until: 9, at: 'x' }]
    for (const said of odd) {
      const path = makeSpool(entry('one', { id: 'one' }))
      writeFileSync(statePath(path), JSON.stringify({ batch: 'x', shown: { 'id one': said } }))
      const { delivered } = await take(path)
      expect(delivered).toEqual([{ entry: expect.objectContaining({ content: 'one' }) }])
    }
  })
})

describe('what was shown without the store', () => {
  it('is delivered as that; what is being shown waits', async () => {
    const path = makeSpool(entry('a', { id: 'a' }) + entry('b', { id: 'b' }) + entry('c', { id: 'c' }))
    const base = { attempt: 1, evidence: 'it was printed' }
    writeState(path, {
      batch: 'x',
      shown: { 'id a': { ...base, until: 100, at: 50 }, 'id b': { attempt: 1, until: 100, at: null, evidence: null } },
    })
    const first = await take(path, undefined, { now: 99 })
    expect(first.delivered.map((each) => [each.entry.id, each.shown])).toEqual([
      ['a', { at: 50, evidence: 'it was printed' }],
      ['c', undefined],
    ])
    expect(first.taken).toMatchObject({ done: 2, kept: 1 })
    const second = await take(path, undefined, { now: 100 })
    expect(second.delivered.map((each) => [each.entry.id, each.shown])).toEqual([['b', undefined]])
    expect(existsSync(statePath(path))).toBe(false)
  })

  it('waits for no lease that only a clock which was wrong can have given', async () => {
    const path = makeSpool(entry('a', { id: 'a' }))
    const lease = { attempt: 1, until: Date.UTC(2099, 0), at: null, evidence: null }
    writeState(path, { batch: 'x', shown: { 'id a': lease } })
    expect((await take(path, undefined, { now: Date.UTC(2026, 0) })).contents).toEqual(['a'])
  })
})

describe('sixteen takers at once', () => {
  it('take each entry once, while another appends', async () => {
    const path = makeSpool('')
    const wanted = Array.from({ length: 400 }, (_, at) => `${at}`)
    const found: string[] = []
    let isWriting = true
    const write = async () => {
      const { appendEntry } = await import('./append.ts')
      for (const content of wanted)
        await appendEntry({ path, entry: { content, priority: 2 }, patienceMs: DEAD_MACHINE_MS })
      isWriting = false
    }
    const taker = async () => {
      for (; isWriting; await nextTurn())
        found.push(...(await take(path, undefined, { patienceMs: DEAD_MACHINE_MS })).contents)
    }
    await Promise.all([write(), ...Array.from({ length: 16 }, taker)])
    found.push(...(await take(path)).contents)
    expect(found.sort()).toEqual(wanted.sort())
    expect(readdirSync(join(dirname(path)))).toEqual(['ses-1.jsonl'])
  })
})
