/**
 * One writer of the harness: posts entries on several lanes at once and writes down what was acknowledged, until it has
 * posted enough or is killed. Some die by themselves, in the middle of a write.
 */
import fs, { appendFileSync, mkdirSync, openSync } from 'node:fs'
import { syncBuiltinESMExports } from 'node:module'
import { parseArgs } from 'node:util'
import { formatEntry } from '../../../src/bus/codec/format.ts'
import { nextMsgId } from '../../../src/bus/codec/msg-id.ts'
import { openBusShelf } from '../../../src/bus/file-bus-shelf.ts'
import type { SystemCalls } from '../../../src/kit/node/native/system-calls.ts'

const { values } = parseArgs({
  options: {
    root: { type: 'string', default: '' },
    by: { type: 'string', default: '' },
    log: { type: 'string', default: '' },
    count: { type: 'string', default: '0' },
    lanes: { type: 'string', default: '1' },
    deadliness: { type: 'string', default: '0' },
    plant: { type: 'string', default: '' },
  },
})
const { root, by, plant } = values
const [count, lanes, deadliness] = [values.count, values.lanes, values.deadliness].map(Number) as [
  number,
  number,
  number,
]
const PLACE = { project_id: 'atlas', task_id: 'task-1' }
const ROTATE_BYTES = 100 * 1024
const LARGE_BYTES = 60_000

const log = openSync(values.log, 'a')
const { writeSync: write } = fs
const note = (line: object) => write(log, `${JSON.stringify(line)}\n`)
const shelf = openBusShelf({ root, rotateBytes: ROTATE_BYTES })

if (deadliness > 0) dieWhileWriting()
if (plant === 'no-lock') forgetLocks()
if (plant === 'no-sync') forgetDisk()
process.on('uncaughtException', (error) => {
  appendFileSync(`${values.log}.error`, `${by}: ${error.stack}\n`)
  process.exit(1)
})

process.stdout.write('ready\n')
let next = 0
await Promise.all(Array.from({ length: lanes }, (_, lane) => postOn(lane)))

async function postOn(lane: number): Promise<void> {
  for (let nth = 0; next < count; nth++) {
    next++
    const key = `${by}.${lane}.${nth}`
    const body = Buffer.from(`${key}\n${'---\n'.repeat(nth % 3)}${'x'.repeat(Math.random() < 0.02 ? LARGE_BYTES : 50)}`)
    const msg_id = plant === 'no-repair' ? postCarelessly(body) : await post(body)
    note({ key, msg_id })
  }
}

async function post(body: Uint8Array): Promise<string> {
  return (await shelf.append(PLACE, { ...PLACE, type: 'FACT', body })).msg_id
}

/** Looks at nothing before it writes. */
function postCarelessly(body: Uint8Array): string {
  const msg_id = nextMsgId(undefined, Date.now(), process.pid, next)
  const entry = formatEntry({ ...PLACE, type: 'FACT', body, msg_id, ts: new Date().toISOString() })
  mkdirSync(`${root}/atlas/task-1`, { recursive: true })
  const fd = openSync(`${root}/atlas/task-1/TASK-MESSAGE-BUS.md`, 'a')
  fs.writeSync(fd, entry)
  fs.closeSync(fd)
  return msg_id
}

/** Writes a part of what it should, and is gone. */
function dieWhileWriting(): void {
  const die = (fd: number, bytes: Buffer) => {
    write(fd, bytes.subarray(0, Math.floor(Math.random() * bytes.length)))
    process.kill(process.pid, 'SIGKILL')
  }
  const deadly = (fd: number, bytes: Buffer) => {
    if (Math.random() < deadliness) die(fd, bytes)
    return write(fd, bytes)
  }
  Object.assign(fs, { writeSync: deadly })
  syncBuiltinESMExports()
}

/** Nobody waits for the disk. */
function forgetDisk(): void {
  Object.assign(fs, {
    fdatasyncSync: () => {},
    fdatasync: (_: number, done: (error: null) => void) => setImmediate(done, null),
  })
  syncBuiltinESMExports()
}

/** Whoever asks for a lock has it. */
function forgetLocks(): void {
  const { dlopen } = process
  const lockless: Partial<SystemCalls> = { tryLock: () => true, unlock: () => {} }
  process.dlopen = (module: { exports: object }, ...rest) => {
    dlopen(module, ...rest)
    module.exports = { ...module.exports, ...lockless }
  }
}
