import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { delimiter, join } from 'node:path'
import { createInterface } from 'node:readline'
import { describe, expect, it, onTestFinished } from 'vitest'
import { NEEDS_LINUX } from '../../test/helpers/needs.ts'
import { PATIENTLY } from '../../test/helpers/patience.ts'
import { fastFolder } from '../../test/helpers/temp.ts'
import { processStart } from '../kit/node/processes.ts'

const SHELLS = ['sh', 'dash', 'bash', 'bash --posix', 'busybox sh', 'zsh --emulate sh', 'mksh']
const shells = SHELLS.filter((shell) =>
  (process.env['PATH'] ?? '').split(delimiter).some((folder) => existsSync(join(folder, shell.split(' ')[0] ?? ''))),
)

/** Writes its arguments to a file. It renames the file into place, so the file is whole when it appears. */
const RECORDER = 'printf "%s\\n" "$@" >"$0.part"; mv "$0.part" "$0"'

/** The same, but asks its process group to end before, and dies of that, the first time. */
const MORTAL = `[ -e "$0.began" ] || { : >"$0.began"; kill -TERM 0; }; ${RECORDER}`

/** A server of another process, which says when it has told its witness of the offers. */
const SERVER = `
const { createWitness } = await import(${JSON.stringify(new URL('./witness.ts', import.meta.url).href)})
const { command, shell, lists, isInGoodOrder } = JSON.parse(process.argv[1])
const witness = createWitness({ command, shell })
await witness.prepare()
for (const list of lists) witness.hold(list)
if (isInGoodOrder) witness.noteGoodOrder()
console.log('ready')
setInterval(() => {}, 1 << 30)`

/** Starts a server and its witness in a process group of their own. */
async function start(
  shell: string,
  lists: readonly (readonly string[])[],
  { isInGoodOrder = false, script = RECORDER } = {},
) {
  const folder = fastFolder()
  const record = join(folder, 'record')
  const given = {
    command: ['/bin/sh', '-c', script, record, 'a word'],
    shell: shell.split(' '),
    lists,
    isInGoodOrder,
  }
  const server = spawn(process.execPath, ['--input-type=module', '-e', SERVER, JSON.stringify(given)], {
    stdio: ['ignore', 'pipe', 'inherit'],
    detached: true,
  })
  onTestFinished(() => void server.kill('SIGKILL'))
  const pid = server.pid ?? expect.fail('it did not start')
  await once(createInterface({ input: server.stdout }), 'line')
  const client = `--client=${process.pid}@${processStart(process.pid)}`
  return {
    client,
    /** Kills the server. A signal goes to the whole group first, but the server has no time to handle it. */
    async kill(signal?: NodeJS.Signals) {
      server.kill('SIGSTOP')
      if (signal) process.kill(-pid, signal)
      server.kill('SIGKILL')
      await once(server, 'exit')
    },
    /** The arguments of the command that the witness ran; none if it ran no command. */
    async words(): Promise<readonly string[]> {
      await expect.poll(() => isGroupThere(pid), PATIENTLY).toBe(false)
      return existsSync(record) ? readFileSync(record, 'utf8').trimEnd().split('\n') : []
    },
  }
}

/**
 * A process keeps its group when it becomes another program, so nothing of the group is missed. One that is dead stays in it
 * until the process that reaps orphans gets to it; in some containers that takes seconds, and in others it never does.
 */
function isGroupThere(group: number): boolean {
  return readdirSync('/proc').some((pid) => {
    const [state, , ofGroup] = statOf(pid)
    return Number(ofGroup) === group && state !== 'Z'
  })
}

function statOf(pid: string): readonly string[] {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8')
    return stat.slice(stat.lastIndexOf(')') + 2).split(' ')
  } catch {
    return []
  }
}

describe.each(shells)('a witness in %s', NEEDS_LINUX, (shell) => {
  it('settles what is left after a signal to the group', async () => {
    const { kill, words, client } = await start(shell, [['one'], ['one', 'two']])
    await kill('SIGTERM')
    expect(await words()).toEqual(['a word', client, '--in-good-order', '--left=one', '--left=two'])
  })

  it('settles what is left of a server that was killed without a signal', async () => {
    const { kill, words, client } = await start(shell, [['one', 'two'], ['two']])
    await kill()
    expect(await words()).toEqual(['a word', client, '--left=two'])
  })

  it('settles what is left although a second signal to the group kills the command', async () => {
    const { kill, words, client } = await start(shell, [['one']], { script: MORTAL })
    await kill()
    expect(await words()).toEqual(['a word', client, '--left=one'])
  })

  it('does nothing where nothing is left', async () => {
    const { kill, words } = await start(shell, [['one'], []])
    await kill('SIGTERM')
    expect(await words()).toEqual([])
  })
})

describe('a witness', NEEDS_LINUX, () => {
  it.each(['SIGINT', 'SIGHUP'] as const)('notes %s as well', async (signal) => {
    const { kill, words, client } = await start('sh', [['one']])
    await kill(signal)
    expect(await words()).toEqual(['a word', client, '--in-good-order', '--left=one'])
  })

  it('believes a server that was killed after it had noticed the end itself', async () => {
    const { kill, words, client } = await start('sh', [['one']], { isInGoodOrder: true })
    await kill()
    expect(await words()).toEqual(['a word', client, '--left=one', '--in-good-order'])
  })

  it('passes on no id that the shell would take for more than one word', async () => {
    const { kill, words, client } = await start('sh', [['one', 'x --store=/elsewhere', 'x\n=--left=y', '*', '']])
    await kill()
    expect(await words()).toEqual(['a word', client, '--left=one'])
  })

  it('does nothing for a server that had nothing left', async () => {
    const { kill, words } = await start('sh', [['one'], []], { isInGoodOrder: true })
    await kill()
    expect(await words()).toEqual([])
  })
})

describe('a server without a shell', NEEDS_LINUX, () => {
  it('goes on without a witness', async () => {
    const { kill, words } = await start('/nowhere/sh', [['one']])
    await kill()
    expect(await words()).toEqual([])
  })
})
