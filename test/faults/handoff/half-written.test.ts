import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { describe, expect, it, onTestFinished } from 'vitest'
import type { HandoffItem } from '../../../src/model/handoff/item.ts'
import { makeProject, seedItem } from '../../helpers/handoff/projects.ts'
import { verifies } from '../../scenarios/verifies.ts'

const BODY = `begin\n${'line\n'.repeat(200)}end`
const WHOLE = seedItem({ from_session: 's-0', type: 'learning', priority: 'high' }, BODY)

/** Whoever pauses for as long may be taken to have finished. */
const PAUSE_MS = 250

/** `cat > path`, which writes what it is given, when it is given it. */
async function startCat(path: string): Promise<ChildProcess> {
  const cat = spawn('sh', ['-c', 'exec cat > "$1"', 'sh', path], { stdio: ['pipe', 'ignore', 'inherit'] })
  onTestFinished(() => void cat.kill('SIGKILL'))
  await until(() => existsSync(path))
  return cat
}

/** Polls: nothing tells when another program has written. */
async function until(isSo: () => boolean): Promise<void> {
  while (!isSo()) await delay(5)
}

async function give(cat: ChildProcess, path: string, text: string): Promise<void> {
  const size = statSync(path).size + Buffer.byteLength(text)
  cat.stdin?.write(text)
  await until(() => statSync(path).size === size)
}

describe('a file that another program is writing', () => {
  it('is not shown before it is whole, as long as the program goes on', async () => {
    verifies('S004.files.half-written')
    const { shelf, place, inbox } = await makeProject()
    await shelf.init(place)
    const path = join(inbox, 'slow.md')
    const cat = await startCat(path)
    const seen: HandoffItem[] = []
    let isWritten = false
    const looking = (async () => {
      while (!isWritten) seen.push(...(await shelf.look(place)).items)
    })()
    let longestPauseMs = 0
    for (let at = 0, before = Date.now(); at < WHOLE.length; at += 100, before = Date.now()) {
      await give(cat, path, WHOLE.slice(at, at + 100))
      await delay(20)
      longestPauseMs = Math.max(longestPauseMs, Date.now() - before)
    }
    cat.stdin?.end()
    await once(cat, 'exit')
    isWritten = true
    await looking
    // A machine that stood still meanwhile has made it pause.
    if (longestPauseMs < PAUSE_MS) expect(seen.filter(({ body }) => body !== BODY)).toEqual([])
    expect((await shelf.look(place)).items).toMatchObject([{ type: 'learning', body: BODY }])
  })

  it('is shown again whole where the program paused for so long that half of it was shown', async () => {
    verifies('S004.files.half-written')
    const { shelf, place, inbox } = await makeProject()
    await shelf.init(place)
    const path = join(inbox, 'pausing.md')
    const cat = await startCat(path)
    await give(cat, path, WHOLE.slice(0, 300))
    const [half] = (await shelf.look(place)).items
    expect(half && BODY.startsWith(half.body)).toBe(true)
    await give(cat, path, WHOLE.slice(300))
    cat.stdin?.end()
    await once(cat, 'exit')
    expect(half && (await shelf.archive(place, half, 'processed'))).toBeUndefined()
    const [whole] = (await shelf.look(place)).items
    expect(whole?.body).toBe(BODY)
    expect(whole && (await shelf.archive(place, whole, 'processed'))).toBe('inbox/processed/pausing.md')
  })

  it('would be shown by half to a reader that does not wait', async () => {
    const { inbox, shelf, place } = await makeProject()
    await shelf.init(place)
    const path = join(inbox, 'slow.md')
    const cat = await startCat(path)
    await give(cat, path, WHOLE.slice(0, 300))
    const careless = readFileSync(path, 'utf8')
    expect(careless.length).toBeLessThan(WHOLE.length)
    expect((await shelf.find(place, 'slow.md'))?.body).not.toBe(BODY)
  })

  it('is inherited whole from the script of the seed, however many of them run', async () => {
    verifies('S004.files.half-written')
    const { shelf, place, root } = await makeProject()
    await shelf.init(place)
    const script = `for n in $(seq 1 40); do cat > "inbox/$n-learning.md" <<EOF
---
from_session: s-$n
type: learning
priority: high
created: $(date -Iseconds)
---

first line of $n
last line of $n
EOF
done`
    const shells = [1, 2, 3].map(() =>
      spawn('bash', ['-c', script], { cwd: root, stdio: ['ignore', 'ignore', 'inherit'] }),
    )
    const ends = Promise.all(shells.map((shell) => once(shell, 'exit')))
    let isOver = false
    void ends.then(() => {
      isOver = true
    })
    const seen: HandoffItem[] = []
    while (!isOver) seen.push(...(await shelf.look(place)).items)
    seen.push(...(await shelf.look(place)).items)
    expect(seen.filter(({ body, name }) => !isWhole(body, name))).toEqual([])
    expect(new Set(seen.map(({ name }) => name)).size).toBe(40)
  })
})

function isWhole(body: string, name: string): boolean {
  const nth = name.split('-')[0]
  return body === `first line of ${nth}\nlast line of ${nth}`
}
