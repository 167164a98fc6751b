import { type ChildProcess, spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { setImmediate as nextTurn } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { describe, expect, it, onTestFinished } from 'vitest'
import { openLocal } from '../../src/host/open-local.ts'
import { ingestSpool } from '../../src/host/spool.ts'
import type { Drained, Postern } from '../../src/model/postern.ts'
import { spoolPath } from '../../src/spool/path.ts'
import { codeBlocks } from '../helpers/documents.ts'
import { temporaryFolder } from '../helpers/temp.ts'
import { verifies } from '../scenarios/requirements.ts'
import { answerOf, runCli } from './harness/cli.ts'
import { storeOf } from './harness/home.ts'
import { figures } from './harness/need.ts'

const SESSION = 'ses-1'
const PYTHON_LINES = 4_000
const SHELL_LINES = 1_000
const RUST_LINES = 1_000

/** What the guide tells producers to do is what these tests do. */
const guide = readFileSync(fileURLToPath(new URL('../../docs/guides/producers.md', import.meta.url)), 'utf8')
const example = (language: string) =>
  codeBlocks(guide).find((block) => block.language === language)?.text ?? expect.fail(`no example in ${language}`)

const inPython = (by: string, lines: number) => `${example('python')}
import sys
for n in range(${lines}):
    append(sys.argv[1], {"content": "${by} %d" % n, "source": "${by}"} if n % 2 else {"content": "${by} %d" % n, "id": "${by}-%d" % n})
`
const inShell = (by: string, lines: number) => `${example('sh')}
n=0
while [ $n -lt ${lines} ]; do append "$1" "{\\"content\\":\\"${by} $n\\"}"; n=$((n + 1)); done
`
const inNode = (by: string, lines: number) => `${example('js')}
for (let n = 0; n < ${lines}; n++) append(process.argv[2], { content: '${by} ' + n })
`
const IN_RUST = `use std::{env, fs::OpenOptions, io::Write};
fn main() {
    let path = env::args().nth(1).unwrap();
    for n in 0..${RUST_LINES} {
        let mut file = OpenOptions::new().append(true).create(true).open(&path).unwrap();
        file.lock().unwrap();
        file.write_all(format!("{{\\"content\\":\\"rust {n}\\"}}\\n").as_bytes()).unwrap();
    }
}
`

const namesOf = (by: string, lines: number) => Array.from({ length: lines }, (_, n) => `${by} ${n}`)

interface World {
  readonly home: string
  readonly root: string
  readonly path: string
  open(): Promise<Postern>
}

async function makeWorld(): Promise<World> {
  const home = temporaryFolder()
  const root = join(home, 'project')
  mkdirSync(join(root, '.git'), { recursive: true })
  const open = async () => {
    const postern = await openLocal(storeOf(home), { upkeep: false })
    onTestFinished(() => postern.close())
    return postern
  }
  await (await open()).agents.add({ id: 'quinn' })
  return { home, root, path: spoolPath(root, SESSION), open }
}

function start(
  command: string,
  args: readonly string[],
): { readonly child: ChildProcess; readonly done: Promise<void> } {
  const child = spawn(command, args, { stdio: ['ignore', 'ignore', 'inherit'] })
  onTestFinished(() => void child.kill('SIGKILL'))
  const done = once(child, 'close').then(([code]) => {
    if (code !== 0) throw new Error(`${command} ended with ${code}`)
  })
  return { child, done }
}

const startPython = (path: string, by: string, lines: number) => start('python3', ['-c', inPython(by, lines), path])
const startShell = (path: string, by: string, lines: number) => start('sh', ['-c', inShell(by, lines), 'sh', path])

function startNode(path: string, by: string, lines: number) {
  const script = join(temporaryFolder(), 'producer.cjs')
  writeFileSync(script, inNode(by, lines))
  return start(process.execPath, [script, path])
}

/** Takes the spool and drains, again and again; what it was shown it confirms. */
async function drainInProcess({ root, open }: World, isOver: () => boolean): Promise<string[]> {
  const postern = await open()
  const shown: string[] = []
  for (let wasOver = false; !wasOver; await nextTurn()) {
    wasOver = isOver()
    await ingestSpool(postern, { agent: 'quinn', sessionId: SESSION, root, patienceMs: 30_000 })
    const { offer, messages } = await postern.inbox.drain({ agent: 'quinn', maxMessages: 500 })
    if (offer) await postern.inbox.confirm({ offerId: offer.id, printed: true, evidence: 'test' })
    shown.push(...messages.map(({ content }) => content))
  }
  return shown
}

async function drainByCommand({ home, root }: World, isOver: () => boolean): Promise<string[]> {
  const shown: string[] = []
  const words = ['inbox', 'drain', '--agent', 'quinn', '--session', SESSION, '--limit', '500', '--json']
  while (!isOver()) {
    const ran = await runCli(home, words, { wrap: ['env', '-C', root] })
    shown.push(...answerOf<Drained>(ran).messages.map(({ content }) => content))
  }
  return shown
}

/** Runs drains while writers write, and says what was shown in all. */
async function drainWhile(world: World, writers: readonly { readonly done: Promise<void> }[]): Promise<string[]> {
  let isOver = false
  const writing = Promise.all(writers.map(({ done }) => done)).finally(() => {
    isOver = true
  })
  const drains = [drainInProcess, drainInProcess, drainByCommand].map((drain) => drain(world, () => isOver))
  const shown = (await Promise.all([...drains, writing.then(() => [])])).flat()
  shown.push(...(await drainInProcess(world, () => true)))
  while (true) {
    const rest = await drainInProcess(world, () => true)
    if (rest.length === 0) return shown
    shown.push(...rest)
  }
}

describe('foreign producers that write while drains run', () => {
  it('10,000 lines from Python and flock(1): none is lost, none is shown twice', async () => {
    verifies('G4.spool.writers')
    const world = await makeWorld()
    const startedAt = performance.now()
    const shown = await drainWhile(world, [
      startPython(world.path, 'ada', PYTHON_LINES),
      startPython(world.path, 'bob', PYTHON_LINES),
      startShell(world.path, 'sh-1', SHELL_LINES),
      startShell(world.path, 'sh-2', SHELL_LINES),
    ])
    const wanted = [
      ...['ada', 'bob'].flatMap((by) => namesOf(by, PYTHON_LINES)),
      ...['sh-1', 'sh-2'].flatMap((by) => namesOf(by, SHELL_LINES)),
    ]
    expect(wanted).toHaveLength(10_000)
    expect(shown.length).toBe(10_000)
    expect(shown.sort()).toEqual(wanted.sort())
    expect(readFileSync(world.path, 'utf8')).toBe('')
    figures('spool', `10,000 lines of 4 writers, 3 drains, in ${Math.round(performance.now() - startedAt)} ms`)
  })

  it('the example for Node', async () => {
    verifies('G4.spool.writers')
    const world = await makeWorld()
    const shown = await drainWhile(world, [startNode(world.path, 'node', 200), startPython(world.path, 'ada', 500)])
    expect(shown.sort()).toEqual([...namesOf('node', 200), ...namesOf('ada', 500)].sort())
  })

  const rust = spawnSync('rustc', ['--version']).status === 0
  if (!rust) console.error('\n*** There is no Rust here: that its lock is the same is not tested. ***\n')

  it.runIf(rust)('Rust', async () => {
    const world = await makeWorld()
    mkdirSync(dirname(world.path), { recursive: true })
    const folder = temporaryFolder()
    writeFileSync(join(folder, 'producer.rs'), IN_RUST)
    const built = spawnSync('rustc', ['-O', '-o', join(folder, 'producer'), join(folder, 'producer.rs')])
    expect(built.status, `${built.stderr}`).toBe(0)
    const shown = await drainWhile(world, [
      start(join(folder, 'producer'), [world.path]),
      startPython(world.path, 'ada', 1_000),
    ])
    expect(shown.sort()).toEqual([...namesOf('rust', RUST_LINES), ...namesOf('ada', 1_000)].sort())
  })

  it('would be found out if they wrote without the lock', async () => {
    const careless = inPython('ada', LINES).replace('fcntl.flock(fd, fcntl.LOCK_EX)', 'pass')
    expect(careless).not.toContain('LOCK_EX')
    let kept = LINES
    // It takes a race to lose a line, which need not happen at the first try.
    for (let round = 0; round < MAX_ROUNDS && kept === LINES; round++) {
      const world = await makeWorld()
      const shown = await drainWhile(world, [start('python3', ['-c', careless, world.path])])
      kept = new Set(shown).size
    }
    expect(kept).toBeLessThan(LINES)
  })
})

const LINES = 20_000
const MAX_ROUNDS = 6
