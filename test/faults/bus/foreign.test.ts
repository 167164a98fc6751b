import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it, onTestFinished } from 'vitest'
import { ALL, openTestBus, plant, plantedEntry, post, TASK, textOf } from '../../helpers/bus/bus-files.ts'
import { needsPrograms } from '../../helpers/needs.ts'
import { temporaryFolder } from '../../helpers/temp.ts'
import { campaign, FULL } from '../../helpers/tier.ts'
import { verifies } from '../../scenarios/verifies.ts'
import { figures } from '../harness/need.ts'

/** Entries of each writer. The shell writes a quarter as many: each of its entries takes a process. */
const ENTRIES = { quick: 40, full: 200, long: 150_000, most: 500 }

/** As the seed's own tool does it: the id is made first, then the file is locked, then the entry is written and synced. */
const IN_PYTHON = `import fcntl, os, sys, time
path, by, count = sys.argv[1], sys.argv[2], int(sys.argv[3])
for n in range(count):
    now = time.time_ns()
    stamp = time.strftime('%Y%m%d-%H%M%S', time.gmtime(now // 10**9))
    msg_id = 'MSG-%s-%09d-PID%05d-%04d' % (stamp, now % 10**9, os.getpid(), n)
    ts = time.strftime('%Y-%m-%dT%H:%M:%SZ', time.gmtime(now // 10**9))
    text = '---\\nmsg_id: %s\\nts: %s\\ntype: FACT\\nproject_id: atlas\\ntask_id: task-1\\n---\\n%s %d\\n' % (msg_id, ts, by, n)
    fd = os.open(path, os.O_APPEND | os.O_CREAT | os.O_WRONLY, 0o644)
    fcntl.flock(fd, fcntl.LOCK_EX)
    half = len(text) // 2
    os.write(fd, text[:half].encode())
    os.write(fd, text[half:].encode())
    os.fsync(fd)
    os.close(fd)
`
const IN_SHELL = `n=0
while [ $n -lt $3 ]; do
  flock "$1" sh -c 'printf -- "---\\nmsg_id: SH-%s-%s\\nts: 2026-02-05T12:34:56Z\\ntype: INFO\\nproject_id: atlas\\n---\\n%s %s\\n" "$2" "$3" "$2" "$3" >> "$1"' sh "$1" "$2" $n
  n=$((n + 1))
done
`

const PROGRAMS = needsPrograms('python3', 'flock')

describe('other programs that write at the same time', PROGRAMS, () => {
  campaign('a bus loses nothing while other programs write under the lock', ENTRIES, async (entries) => {
    verifies('S002.writers.foreign')
    const { missing, faults, found } = await writeTogether(IN_PYTHON, entries)
    figures('bus foreign', `${found} entries of 2 × Python, sh and us: ${missing.length} missing, ${faults} faults`)
    expect({ missing, faults }).toEqual({ missing: [], faults: 0 })
  })

  it('finds planted writers that take no lock', FULL, async () => {
    const careless = IN_PYTHON.replace('fcntl.flock(fd, fcntl.LOCK_EX)', 'pass')
    let found = 0
    for (let round = 0; found === 0 && round < 5; round++) {
      const { missing, faults } = await writeTogether(careless, 200)
      found = missing.length + faults
    }
    expect(found).toBeGreaterThan(0)
  })
})

async function writeTogether(python: string, count: number) {
  const { root, shelf, path } = openTestBus()
  await post(shelf, 'first')
  const fewer = Math.ceil(count / 4)
  const others = [
    start('python3', ['-c', python, path, 'ada', `${count}`]),
    start('python3', ['-c', python, path, 'bob', `${count}`]),
    start('sh', ['-c', IN_SHELL, 'sh', path, 'cy', `${fewer}`]),
  ]
  const second = openTestBus({ root }).shelf
  const ours = [shelf, second].map(async (each, at) => {
    for (let nth = 0; nth < count; nth++) await post(each, `us-${at} ${nth}`)
  })
  await Promise.all([...others, ...ours])
  const { items, faults } = await shelf.read(TASK, ALL)
  const wanted = [
    'first',
    ...['ada', 'bob', 'us-0', 'us-1'].flatMap((by) => Array.from({ length: count }, (_, nth) => `${by} ${nth}`)),
    ...Array.from({ length: fewer }, (_, nth) => `cy ${nth}`),
  ]
  const bodies = new Set(items.map(({ body }) => body))
  const missing = wanted.filter((body) => !bodies.has(body))
  return { missing, faults: faults.length + items.length - wanted.length + missing.length, found: items.length }
}

function start(command: string, args: readonly string[]): Promise<void> {
  const child = spawn(command, args, { stdio: ['ignore', 'ignore', 'inherit'] })
  onTestFinished(() => void child.kill('SIGKILL'))
  return once(child, 'close').then(([code]) => expect(code).toBe(0))
}

it('a lock that is held for ever is refused in time, and nothing is written', async () => {
  verifies('S002.busy')
  const { shelf, path } = openTestBus({ lockTimeoutMs: 200 })
  plant(path, plantedEntry(0))
  const holder = await holdLock(path)
  const posts = await Promise.allSettled(Array.from({ length: 10 }, (_, nth) => post(shelf, `${nth}`)))
  for (const each of posts) expect(each).toMatchObject({ status: 'rejected', reason: { code: 'BUS_BUSY' } })
  await expect(shelf.rotate(TASK, {})).rejects.toMatchObject({ code: 'BUS_BUSY' })
  expect(textOf(path)).toBe(plantedEntry(0).toString())
  expect((await shelf.read(TASK, ALL)).items).toHaveLength(1)
  holder.kill('SIGKILL')
  await once(holder, 'exit')
  await expect
    .poll(() => post(shelf, 'at last').catch(({ code }) => code))
    .toMatchObject({ msg_id: expect.any(String) })
})

/** Somebody who takes the lock and stands still. */
async function holdLock(path: string): Promise<ChildProcess> {
  const script = join(temporaryFolder(), 'hold.sh')
  writeFileSync(script, 'echo held; exec sleep 600')
  const holder = spawn('flock', ['-o', path, 'sh', script], { stdio: ['ignore', 'pipe', 'ignore'] })
  onTestFinished(() => void holder.kill('SIGKILL'))
  await once(holder.stdout, 'data')
  return holder
}
