import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { setImmediate as nextTurn } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { describe, expect, it, onTestFinished } from 'vitest'
import { ingestSpool } from '../../src/host/spool.ts'
import type { Drained, Postern } from '../../src/model/postern.ts'
import { spoolPath } from '../../src/spool/path.ts'
import { codeBlocks } from '../helpers/documents.ts'
import { needsPrograms } from '../helpers/needs.ts'
import { openLocal } from '../helpers/open-local.ts'
import { temporaryFolder } from '../helpers/temp.ts'
import { campaign, FULL } from '../helpers/tier.ts'
import { verifies } from '../scenarios/verifies.ts'
import { answerOf, runCli } from './harness/cli.ts'
import { storeOf } from './harness/home.ts'
import { figures } from './harness/need.ts'

const SESSION = 'ses-1'
/** Lines of all writers together: four in five are of Python, the others of the shell, which is slower. */
const LINES = { quick: 400, full: 10_000, long: 2_000_000, most: 10_000 }
/** Node has no lock of its own: each of its lines takes a process. */
const NODE_LINES = { quick: 20, full: 200, long: 10_000, most: 1_000 }
const PERL_LINES = { quick: 200, full: 1_000, long: 100_000, most: 5_000 }

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
/** Perl decides for itself by which system call it locks. Every Debian has it. */
const inPerl = (by: string, lines: number) => `use Fcntl ':flock';
for my $n (0 .. ${lines - 1}) {
    open(my $file, '>>', $ARGV[0]) or die $!;
    flock($file, LOCK_EX) or die $!;
    print $file qq({"content":"${by} $n"}\\n);
    close($file) or die $!;
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

interface Writer {
  readonly child: ChildProcess
  readonly done: Promise<void>
}

function start(command: string, args: readonly string[]): Writer {
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

function startPerl(path: string, by: string, lines: number) {
  mkdirSync(dirname(path), { recursive: true })
  return start('perl', ['-e', inPerl(by, lines), path])
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
async function drainWhile(world: World, writers: readonly Writer[]): Promise<string[]> {
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

/** Lets a writer in another language and a quicker one in Python write at the same time. */
async function expectAllShown(startOther: (path: string) => Writer, lines: number): Promise<void> {
  const world = await makeWorld()
  const more = 3 * lines
  const shown = await drainWhile(world, [startOther(world.path), startPython(world.path, 'ada', more)])
  expect(shown.sort()).toEqual([...namesOf('other', lines), ...namesOf('ada', more)].sort())
}

describe('foreign producers that write while drains run', needsPrograms('python3', 'flock', 'perl'), () => {
  campaign('Python and flock(1) append to a spool: no line is lost, and none is shown twice', LINES, async (lines) => {
    verifies('G4.spool.writers')
    const world = await makeWorld()
    const [inPythonEach, inShellEach] = [Math.ceil(0.4 * lines), Math.ceil(0.1 * lines)]
    const startedAt = performance.now()
    const shown = await drainWhile(world, [
      startPython(world.path, 'ada', inPythonEach),
      startPython(world.path, 'bob', inPythonEach),
      startShell(world.path, 'sh-1', inShellEach),
      startShell(world.path, 'sh-2', inShellEach),
    ])
    const wanted = [
      ...['ada', 'bob'].flatMap((by) => namesOf(by, inPythonEach)),
      ...['sh-1', 'sh-2'].flatMap((by) => namesOf(by, inShellEach)),
    ]
    expect(shown.length).toBe(wanted.length)
    expect(shown.sort()).toEqual(wanted.sort())
    expect(readFileSync(world.path, 'utf8')).toBe('')
    figures('spool', `${lines} lines of 4 writers, 3 drains, in ${Math.round(performance.now() - startedAt)} ms`)
  })

  campaign(
    'the example for Node appends to a spool: no line is lost, and none is shown twice',
    NODE_LINES,
    async (lines) => {
      verifies('G4.spool.writers')
      await expectAllShown((path) => startNode(path, 'other', lines), lines)
    },
  )

  campaign(
    'a producer in Perl appends to a spool: no line is lost, and none is shown twice',
    PERL_LINES,
    async (lines) => {
      await expectAllShown((path) => startPerl(path, 'other', lines), lines)
    },
  )

  it('finds planted producers that write without the lock', FULL, async () => {
    const careless = inPython('ada', MANY_LINES).replace('fcntl.flock(fd, fcntl.LOCK_EX)', 'pass')
    expect(careless).not.toContain('LOCK_EX')
    let kept = MANY_LINES
    // It takes a race to lose a line, which need not happen at the first try.
    for (let round = 0; round < MAX_ROUNDS && kept === MANY_LINES; round++) {
      const world = await makeWorld()
      const shown = await drainWhile(world, [start('python3', ['-c', careless, world.path])])
      kept = new Set(shown).size
    }
    expect(kept).toBeLessThan(MANY_LINES)
  })
})

const MANY_LINES = 20_000
const MAX_ROUNDS = 6
