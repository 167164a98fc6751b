import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { campaign } from '../../../test/helpers/tier.ts'
import type { Wire } from '../wire.ts'
import { watchByPolling } from './bell.ts'
import { createDoorbell } from './doorbell.ts'

const MODULE = new URL('./doorbell.ts', import.meta.url).href
const ROUNDS = { quick: 300, full: 2_000, long: 100_000 }

let root: string
let folder: string
let doorbell: Wire

beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'postern-bell-'))
  folder = join(root, 'bell')
  doorbell = createDoorbell({ folder })
})

afterEach(async () => {
  await doorbell.close()
  rmSync(root, { recursive: true, force: true })
})

/** Rings that came, and a promise of the next one. */
function earOf() {
  const heard: string[][] = []
  let wake = () => {}
  return {
    heard,
    onRing(names: readonly string[]) {
      heard.push([...names].sort())
      wake()
    },
    next: () => new Promise<void>((resolve) => (wake = resolve)),
  }
}

/** The event loop has gone round often enough for any event of the past to have arrived. */
async function settle() {
  for (let turn = 0; turn < 50; turn++) await new Promise((resolve) => setImmediate(resolve))
}

async function startChild(script: string, ...args: string[]): Promise<ChildProcess> {
  const stdio = ['pipe', 'pipe', 'inherit'] as const
  return spawn(process.execPath, ['--input-type=module', '-e', script, ...args], { stdio: [...stdio] })
}

describe('in one process', () => {
  it('wakes who listens to the name, and nobody else', async () => {
    const [quinn, robin] = [earOf(), earOf()]
    await doorbell.listen(['quinn', '@all'], quinn.onRing)
    await doorbell.listen(['robin'], robin.onRing)
    const woken = quinn.next()
    doorbell.ring(['quinn'])
    await woken
    expect(quinn.heard).toEqual([['quinn']])
    expect(robin.heard).toEqual([])
  })

  it('wakes every listener of a name', async () => {
    const ears = [earOf(), earOf()]
    for (const ear of ears) await doorbell.listen(['quinn'], ear.onRing)
    const woken = ears.map((ear) => ear.next())
    doorbell.ring(['quinn'])
    await Promise.all(woken)
  })

  it('makes one wake of many rings at once', async () => {
    const ear = earOf()
    await doorbell.listen(['quinn', '@all'], ear.onRing)
    const woken = ear.next()
    for (let i = 0; i < 100; i++) doorbell.ring(['quinn', '@all'])
    await woken
    await settle()
    expect(ear.heard).toEqual([['@all', 'quinn']])
  })

  it('rings nobody without complaint, and leaves no file behind', () => {
    doorbell.ring(['nobody'])
    expect(existsSync(folder)).toBe(false)
  })

  it('rings the others before it says that one could not be rung', async () => {
    const ear = earOf()
    await doorbell.listen(['quinn'], ear.onRing)
    symlinkSync('loop', join(folder, 'loop'))
    const woken = ear.next()
    expect(() => doorbell.ring(['loop', 'quinn'])).toThrow(/ELOOP/)
    await woken
  })

  it.each(['../quinn', 'a/b', '', 'Quinn'])('refuses the name %j', async (name) => {
    expect(() => doorbell.ring([name])).toThrow(RangeError)
    await expect(doorbell.listen([name], () => {})).rejects.toThrow(RangeError)
  })

  it('keeps its files to their owner', async () => {
    await doorbell.listen(['quinn'], () => {})
    expect(statSync(folder).mode & 0o777).toBe(0o700)
    expect(statSync(join(folder, 'quinn')).mode & 0o777).toBe(0o600)
  })

  it('never follows a link that was laid in its way', async () => {
    mkdirSync(folder)
    writeFileSync(join(root, 'elsewhere'), '')
    symlinkSync(join(root, 'elsewhere'), join(folder, 'quinn'))
    await expect(doorbell.listen(['quinn'], () => {})).rejects.toThrow(/ELOOP/)
  })

  it('hears nothing after it was closed, and may be closed twice', async () => {
    const ear = earOf()
    const listener = await doorbell.listen(['quinn'], ear.onRing)
    doorbell.ring(['quinn'])
    listener.close()
    listener.close()
    doorbell.ring(['quinn'])
    await settle()
    expect(ear.heard).toEqual([])
    await doorbell.close()
    await doorbell.close()
  })
})

describe('when its files are disturbed', () => {
  const path = () => join(folder, 'quinn')

  it.each([
    ['the file is deleted', () => rmSync(path())],
    ['the folder is deleted', () => rmSync(folder, { recursive: true })],
    ['the folder is moved away', () => renameSync(folder, `${folder}-old`)],
    ['the file is moved away', () => renameSync(path(), `${path()}-old`)],
    [
      'another file takes its place',
      () => {
        writeFileSync(`${path()}-new`, '')
        renameSync(`${path()}-new`, path())
      },
    ],
  ])('hears again after %s', async (name, disturb) => {
    const ear = earOf()
    await doorbell.listen(['quinn'], ear.onRing)
    for (let time = 0; time < 3; time++) {
      const noticed = ear.next()
      disturb()
      // A moved folder is no event of the file in it: there the next touch of the old file is.
      if (name === 'the folder is moved away') {
        createDoorbell({ folder: `${folder}-old` }).ring(['quinn'])
        await noticed
        rmSync(`${folder}-old`, { recursive: true })
      }
      await noticed
      await settle()
      const woken = ear.next()
      doorbell.ring(['quinn'])
      await woken
    }
  })

  it('hears again when the folder can be made again', async () => {
    const ear = earOf()
    await doorbell.listen(['quinn'], ear.onRing)
    const lost = ear.next()
    rmSync(folder, { recursive: true })
    writeFileSync(folder, 'a file in its place')
    await lost
    const back = ear.next()
    rmSync(folder)
    await back
    const woken = ear.next()
    doorbell.ring(['quinn'])
    await woken
  })

  it('hears by polling where the machine has no watches left', async () => {
    await doorbell.close()
    doorbell = createDoorbell({ folder, watch: watchByPolling })
    const ear = earOf()
    await doorbell.listen(['quinn'], ear.onRing)
    const woken = ear.next()
    doorbell.ring(['quinn'])
    await woken
  })
})

describe('between processes', () => {
  /** Answers every new number in one file with the same number in another. */
  const ECHO = `
    import { readFileSync, writeFileSync } from 'node:fs'
    import { createDoorbell } from ${JSON.stringify(MODULE)}
    const [folder, question, answer] = process.argv.slice(1)
    const doorbell = createDoorbell({ folder })
    let last = ''
    const look = () => {
      const number = readFileSync(question, 'utf8')
      if (number === last) return
      last = number
      writeFileSync(answer, number)
      doorbell.ring(['asker'])
      if (number === 'end') doorbell.close()
    }
    await doorbell.listen(['echo', '@all'], look)
    console.log('ready')
  `

  campaign('loses no wake between two processes, however often they wake each other', ROUNDS, async (rounds) => {
    const [question, answer] = [join(root, 'question'), join(root, 'answer')]
    writeFileSync(question, '')
    writeFileSync(answer, '')
    const child = await startChild(ECHO, folder, question, answer)
    const exited = once(child, 'exit')
    await once(child.stdout as NodeJS.ReadableStream, 'data')

    let wake = () => {}
    await doorbell.listen(['asker'], () => wake())
    const ask = async (number: string) => {
      writeFileSync(question, number)
      doorbell.ring(['echo'])
      while (readFileSync(answer, 'utf8') !== number) await new Promise<void>((resolve) => (wake = resolve))
    }
    for (let round = 1; round <= rounds; round++) await ask(String(round))
    await ask('end')
    // Its listener is closed, so nothing keeps the child alive.
    expect(await exited).toEqual([0, null])
  })

  /** Counts as fast as it can, ringing after every step. */
  const RINGER = `
    import { writeFileSync } from 'node:fs'
    import { createDoorbell } from ${JSON.stringify(MODULE)}
    const [folder, counter, rounds] = process.argv.slice(1)
    const doorbell = createDoorbell({ folder })
    for (let i = 1; i <= Number(rounds); i++) {
      writeFileSync(counter, String(i))
      doorbell.ring(['quinn'])
      if (i % 7 === 0) await new Promise((resolve) => setImmediate(resolve))
    }
  `

  campaign('sees the last ring of four processes that ring at once', ROUNDS, async (rounds) => {
    const counters = [1, 2, 3, 4].map((number) => join(root, `counter-${number}`))
    for (const counter of counters) writeFileSync(counter, '')
    let seenAll = () => {}
    const done = new Promise<void>((resolve) => (seenAll = resolve))
    await doorbell.listen(['quinn'], () => {
      if (counters.every((counter) => readFileSync(counter, 'utf8') === String(rounds))) seenAll()
    })
    await Promise.all(counters.map((counter) => startChild(RINGER, folder, counter, String(rounds))))
    await done
  })
})
