import { mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { parse } from 'yaml'
import { isAlive, processStart } from '../../src/kit/node/processes.ts'
import type { BusEntry } from '../../src/model/bus/entry.ts'
import { makeTask, says } from '../helpers/bus/runner.ts'
import { postern } from '../helpers/command.ts'
import { HASTY_ENV, PATIENTLY } from '../helpers/patience.ts'
import { verifies } from './verifies.ts'

const MEGABYTE = 1_000_000
const types = (entries: readonly BusEntry[]) => entries.map(({ type }) => type)

describe('postern run', () => {
  it('tells the start and the end of a command with all that the seed asks for', async () => {
    verifies('S002.run.lifecycle')
    const task = makeTask()
    writeFileSync(join(task.home, 'todo.md'), 'Do it.\n')
    const script = 'cat; echo shown; echo aside >&2'
    const outcome = await task.run(
      ...[script, '--agent-type', 'codex', '--prompt', 'todo.md', '--previous-run', 'run_20260101-000000-1'],
    )
    expect(outcome).toEqual({ exit: 0, stdout: 'Do it.\nshown\n', stderr: 'aside\n' })

    const [start, stop, ...more] = await task.entries()
    expect(more).toEqual([])
    const [folder = ''] = task.runs()
    expect(folder).toMatch(/\/p\/t\/runs\/run_\d{8}-\d{6}-\d+$/)
    const run_id = folder.split('/').at(-1) ?? ''
    expect(start).toMatchObject({ type: 'START', project_id: 'p', task_id: 't', run_id })
    expect(stop).toMatchObject({ type: 'STOP', project_id: 'p', task_id: 't', run_id })
    expect(stop?.parents).toEqual([{ msg_id: start?.msg_id }])
    for (const entry of [start, stop]) {
      expect(entry?.links?.[0]).toEqual({ kind: 'output', path: `${folder}/output.md`, run_id, task_id: 't' })
    }
    const { pid, ...meta } = stop?.meta ?? {}
    expect(pid).toBeGreaterThan(1)
    expect(meta).toEqual({
      agent_type: 'codex',
      pgid: pid,
      run_dir: folder,
      cwd: task.home,
      prompt_path: `${folder}/prompt.md`,
      output_path: `${folder}/output.md`,
      stdout_path: `${folder}/agent-stdout.txt`,
      stderr_path: `${folder}/agent-stderr.txt`,
      previous_run_id: 'run_20260101-000000-1',
      command_line: "sh -c 'cat; echo shown; echo aside >&2'",
      status: 'completed',
      exit_code: 0,
      duration_ms: expect.any(Number),
    })
    const { exit_code: _, duration_ms: __, ...begun } = meta
    expect(start?.meta).toEqual({ ...begun, pid, status: 'running' })
    expect(task.kept('prompt.md')).toBe('Do it.\n')
    expect(task.kept('agent-stdout.txt')).toBe('Do it.\nshown\n')
    expect(task.kept('output.md')).toBe('Do it.\nshown\n')
    expect(task.kept('agent-stderr.txt')).toBe('aside\n')
    expect(parse(task.kept('run-info.yaml'))).toMatchObject({
      run_id,
      agent: 'codex',
      pid,
      status: 'completed',
      exit_code: 0,
    })
    for (const name of readdirSync(folder)) expect(statSync(join(folder, name)).mode & 0o777).toBe(0o600)
  })

  it('ends as the command does, and calls it a crash where that failed', async () => {
    verifies('S002.run.crash')
    const task = makeTask()
    const outcome = await task.run('exit 3')
    expect(outcome).toMatchObject({ exit: 3, stdout: '' })
    expect(outcome.stderr).toMatch(/^postern: the command ended with 3 after \S+; its output is in \S+\n$/)
    const entries = await task.entries()
    expect(types(entries)).toEqual(['START', 'CRASH'])
    expect(entries[1]?.meta).toMatchObject({ exit_code: 3, status: 'failed' })
    expect(entries[1]?.body).toMatch(/^sh failed with exit code 3 after /)
    expect(task.kept('output.md')).toBe('')
  })

  it('tells of a command that does not exist, as shells do', async () => {
    const task = makeTask()
    const outcome = await task.postern('run', '--project', 'p', '--task', 't', 'no-such-program', '--json')
    expect(outcome.exit).toBe(127)
    expect(outcome.stderr).toContain('no-such-program')
    const entries = await task.entries()
    expect(types(entries)).toEqual(['START', 'CRASH'])
    expect(entries[1]?.meta).toMatchObject({ agent_type: 'no-such-program', exit_code: 127, status: 'failed' })
  })

  it('leaves what follows the command to the command', async () => {
    const task = makeTask()
    const { exit, stdout } = await task.postern(
      'run',
      '--project',
      'p',
      '--task',
      't',
      'echo',
      '--json',
      '--task',
      'x',
      '-h',
    )
    expect({ exit, stdout }).toEqual({ exit: 0, stdout: '--json --task x -h\n' })
  })

  it('tells of a command line of any length and any signs', async () => {
    const task = makeTask()
    const words = ['true', '\u0001\n---\n'.repeat(5_000), '😀'.repeat(20_000)]
    expect(await task.postern('run', '--project', 'p', '--task', 't', ...words)).toMatchObject({ exit: 0 })
    const entries = await task.entries()
    expect(types(entries)).toEqual(['START', 'STOP'])
    expect(entries[1]?.meta?.['command_line']).toMatch(/^true '\u0001\n---\n/)
  })

  it('keeps the output that the command has written itself', async () => {
    const task = makeTask()
    await task.run('echo talk; echo result >"$JRUN_RUN_FOLDER/output.md"')
    expect(task.kept('output.md')).toBe('result\n')
    expect(task.kept('agent-stdout.txt')).toBe('talk\n')
  })

  it('answers with JSON alone on stdout where that is asked for', async () => {
    const task = makeTask()
    const { exit, stdout, stderr } = await task.run('echo out; echo err >&2; exit 2', '--json')
    const [start, crash] = await task.entries()
    const [folder = ''] = task.runs()
    expect(exit).toBe(2)
    expect(JSON.parse(stdout)).toEqual({
      run_id: start?.run_id,
      project_id: 'p',
      task_id: 't',
      status: 'failed',
      exit_code: 2,
      signal: null,
      duration_ms: crash?.meta?.['duration_ms'],
      pid: crash?.meta?.['pid'],
      start_msg_id: start?.msg_id,
      end_msg_id: crash?.msg_id,
      run_dir: folder,
      output_path: `${folder}/output.md`,
      stdout_path: `${folder}/agent-stdout.txt`,
      stderr_path: `${folder}/agent-stderr.txt`,
      closed_runs: [],
    })
    expect(stderr.split('\n').sort()).toEqual(['', 'err', 'out'])
  })

  it('reads the prompt from stdin too', async () => {
    const task = makeTask()
    const words = ['run', '--project', 'p', '--task', 't', '--prompt', '-', '--', 'cat'] as const
    const outcome = await postern({ home: task.home, env: { POSTERN_BUS_ROOT: task.root }, stdin: 'Do it.' }, ...words)
    expect(outcome).toEqual({ exit: 0, stdout: 'Do it.', stderr: '' })
    expect(task.kept('prompt.md')).toBe('Do it.')
  })

  it('writes no secret of its command line anywhere', async () => {
    verifies('S002.run.secrets')
    const task = makeTask()
    const [token, password] = [`ghp_${'a1b2'.repeat(9)}`, 'hunter2secret']
    await task.run(`: --token ${token} https://bob:${password}@example.com; API_KEY=${password} true`)
    const files = [
      join(task.folder, 'TASK-MESSAGE-BUS.md'),
      ...readdirSync(task.runs()[0] ?? '').map((name) => join(task.runs()[0] ?? '', name)),
    ]
    for (const file of files) expect(readFileSync(file, 'utf8')).not.toMatch(/hunter2secret|a1b2a1b2/)
    expect((await task.entries())[1]?.meta?.['command_line']).toContain('https://bob:***@example.com')
  })
})

describe('a command that is run', () => {
  it('finds its run in its environment', async () => {
    verifies('S002.run.environment')
    const task = makeTask({ JRUN_PARENT_ID: 'of-nobody' })
    const { stdout } = await task.run('env | grep ^JRUN_ | sort')
    const [folder = ''] = task.runs()
    expect(stdout.split('\n')).toEqual([
      `JRUN_ID=${folder.split('/').at(-1)}`,
      `JRUN_MESSAGE_BUS=${task.folder}/TASK-MESSAGE-BUS.md`,
      'JRUN_PROJECT_ID=p',
      `JRUN_RUN_FOLDER=${folder}`,
      `JRUN_TASK_FOLDER=${task.folder}`,
      'JRUN_TASK_ID=t',
      '',
    ])
  })

  it('posts on the bus of its task, and its runs are children of its own', async () => {
    verifies('S002.run.nested')
    const task = makeTask()
    const command = `"${process.execPath}" "${join(import.meta.dirname, '../../bin/postern.cjs')}"`
    const post = `${command} bus post --type FACT --body done >/dev/null`
    const { exit, stderr } = await task.run(`${command} run -- sh -c '${post}'`)
    expect({ exit, stderr }).toEqual({ exit: 0, stderr: '' })
    const entries = await task.entries()
    expect(types(entries)).toEqual(['START', 'START', 'FACT', 'STOP', 'STOP'])
    const [outer, inner, fact, innerStop, outerStop] = entries
    expect(inner?.parents).toEqual([{ msg_id: outer?.msg_id, kind: 'child_of' }])
    expect(inner?.meta?.['parent_run_id']).toBe(outer?.run_id)
    expect(outer?.parents).toBeUndefined()
    expect(fact?.run_id).toBe(inner?.run_id)
    expect([innerStop?.run_id, outerStop?.run_id]).toEqual([inner?.run_id, outer?.run_id])
  })

  it('is a child of a run that another program has begun, too', async () => {
    const task = makeTask({ JRUN_ID: 'run_20260101-000000-7', JRUN_PROJECT_ID: 'p', JRUN_TASK_ID: 't' })
    mkdirSync(task.folder, { recursive: true })
    const foreign = [
      'msg_id: MSG-20260101-000001-000000000-PID00007-0001',
      'ts: 2026-01-01T00:00:01Z',
      'type: RUN_START',
    ]
    const header = [...foreign, 'project_id: p', 'task_id: t', 'run_id: run_20260101-000000-7'].join('\n')
    writeFileSync(join(task.folder, 'TASK-MESSAGE-BUS.md'), `---\n${header}\n---\nstarted\n`)
    await task.run('true')
    const [, start] = await task.entries()
    expect(start?.parents).toEqual([{ msg_id: 'MSG-20260101-000001-000000000-PID00007-0001', kind: 'child_of' }])
  })

  it('is not started where its start cannot be told', async () => {
    verifies('S002.run.refused')
    const task = makeTask()
    mkdirSync(join(task.folder, 'TASK-MESSAGE-BUS.md'), { recursive: true })
    const outcome = await task.run('touch begun')
    expect(outcome.exit).not.toBe(0)
    expect(outcome.stderr).toContain('[BUS_UNUSABLE]')
    expect(readdirSync(task.home)).not.toContain('begun')
    expect(task.runs()).toEqual([])
    expect(readdirSync(join(task.folder, '.running'))).toEqual([])
  })

  it('may write more than its terminal takes, which costs neither time nor memory nor a byte', async () => {
    verifies('S002.run.output')
    const task = makeTask()
    const runner = task.start(`head -c ${50 * MEGABYTE} /dev/zero`, { isUnread: true })
    const told = async () => types(await task.entries().catch(() => []))
    await expect.poll(told, { ...PATIENTLY, interval: 200 }).toEqual(['START', 'STOP'])
    const status = readFileSync(`/proc/${runner.pid}/status`, 'utf8')
    expect(Number(/^VmHWM:\s+(\d+) kB$/m.exec(status)?.[1])).toBeLessThan(200 * 1024)
    expect(statSync(join(task.runs()[0] ?? '', 'agent-stdout.txt')).size).toBe(50 * MEGABYTE)
    let shown = 0
    for await (const chunk of runner.child.stdout ?? []) shown += (chunk as Buffer).length
    expect(shown).toBe(50 * MEGABYTE)
    expect(await runner.ended).toEqual({ exit: 0, signal: null })
  })

  it('goes on when its terminal goes away', async () => {
    const task = makeTask()
    const runner = task.start('echo begun; seq 100000', { isUnread: true })
    runner.child.stdout?.destroy()
    expect(await runner.ended).toMatchObject({ exit: 0 })
    expect(task.kept('agent-stdout.txt')).toMatch(/^begun\n1\n[\s\S]*\n100000\n$/)
    expect(types(await task.entries())).toEqual(['START', 'STOP'])
  })
})

describe('a runner that is told to end', () => {
  it('passes it on, and ends as the command does', async () => {
    verifies('S002.run.signals')
    const task = makeTask()
    const runner = task.start('trap "echo caught; exit 7" INT; echo ready; while :; do sleep 0.05; done')
    await says(runner, 'ready')
    runner.signal('SIGINT')
    expect(await runner.ended).toEqual({ exit: 7, signal: null })
    expect(runner.stdout()).toBe('ready\ncaught\n')
    expect((await task.entries())[1]?.meta).toMatchObject({ status: 'failed', exit_code: 7 })
  })

  it.each([
    ['SIGINT', 130],
    ['SIGTERM', 143],
    ['SIGHUP', 129],
  ] as const)('%s: ends a command that does not mind it, and all that it has started', async (signal, exit) => {
    const task = makeTask()
    const runner = task.start(`sh -c 'echo $$; exec sleep 600'; echo never`)
    await says(runner, '\n')
    const [pid, startedAt] = [Number(runner.stdout()), processStart(Number(runner.stdout())) ?? 0]
    runner.signal(signal)
    expect(await runner.ended).toEqual({ exit, signal: null })
    expect((await task.entries())[1]?.meta).toMatchObject({ status: 'killed', exit_code: exit, signal })
    await expect.poll(() => isAlive(pid, startedAt), PATIENTLY).toBe('gone')
  })

  it('kills the command at the second SIGINT', async () => {
    const task = makeTask()
    const runner = task.start('trap "echo caught" INT; echo ready; while :; do sleep 0.05; done')
    await says(runner, 'ready')
    runner.signal('SIGINT')
    await says(runner, 'caught')
    // One that comes at once is taken for the same.
    const again = () => {
      runner.signal('SIGINT')
      return readdirSync(join(task.folder, '.running'))
    }
    await expect.poll(again, { ...PATIENTLY, interval: 200 }).toEqual([])
    expect(await runner.ended).toEqual({ exit: 137, signal: null })
    expect((await task.entries())[1]?.meta).toMatchObject({ status: 'killed', signal: 'SIGKILL' })
  })

  it('kills a command that does not end within ten seconds', async () => {
    const task = makeTask(HASTY_ENV)
    const runner = task.start('trap "echo caught" TERM; echo ready; while :; do sleep 0.05; done')
    await says(runner, 'ready')
    runner.signal('SIGTERM')
    await says(runner, 'caught')
    expect(await runner.ended).toEqual({ exit: 137, signal: null })
    expect((await task.entries())[1]?.meta).toMatchObject({ status: 'killed', signal: 'SIGKILL' })
  })
})

describe('a runner that was killed', () => {
  it('is noticed by the next one, once, also where two come at the same time', async () => {
    verifies('S002.run.lost')
    const task = makeTask()
    const runner = task.start('echo $$; sleep 600')
    await says(runner, '\n')
    const pid = Number(runner.stdout())
    process.kill(runner.pid, 'SIGKILL')
    await runner.ended
    const [start] = await task.entries()

    const outcomes = await Promise.all([task.run('true'), task.run('true')])
    expect(outcomes.map(({ exit }) => exit)).toEqual([0, 0])
    expect(outcomes.map(({ stderr }) => stderr).join('')).toBe(`postern: ${start?.run_id} had ended untold (lost)\n`)
    await task.run('true')
    const entries = await task.entries()
    expect(types(entries).sort()).toEqual(['CRASH', ...Array(4).fill('START'), ...Array(3).fill('STOP')])
    const crash = entries.find(({ type }) => type === 'CRASH')
    expect(crash).toMatchObject({ run_id: start?.run_id, parents: [{ msg_id: start?.msg_id }] })
    expect(crash?.meta).toMatchObject({ status: 'lost', pid, pid_alive: true })
    expect(crash?.meta).not.toHaveProperty('exit_code')
    const info = join(task.folder, 'runs', start?.run_id ?? '', 'run-info.yaml')
    expect(parse(readFileSync(info, 'utf8'))).toMatchObject({ status: 'lost' })
  })

  it('is not noticed while it lives', async () => {
    const task = makeTask()
    const runner = task.start('echo ready; sleep 600')
    await says(runner, 'ready')
    await task.run('true')
    expect(types(await task.entries())).toEqual(['START', 'START', 'STOP'])
    runner.signal('SIGTERM')
    await runner.ended
    expect(types(await task.entries())).toEqual(['START', 'START', 'STOP', 'CRASH'])
  })
})

describe('what postern run is told', () => {
  it.each([
    ['no command', ['--project', 'p', '--task', 't'], '<command…> is missing'],
    ['no task', ['--project', 'p', '--', 'true'], '[BUS_UNNAMED]'],
    ['no project', ['--', 'true'], '[BUS_UNNAMED]'],
    ['a project that leads elsewhere', ['--project', '../p', '--task', 't', '--', 'true'], '[BUS_ID_INVALID]'],
    ['a task that leads elsewhere', ['--project', 'p', '--task', 'a/b', '--', 'true'], '[BUS_ID_INVALID]'],
    ['an id that is too long', ['--project', 'p'.repeat(4_096), '--task', 't', '--', 'true'], '[BUS_ID_INVALID]'],
    [
      'a run that leads elsewhere',
      ['--project', 'p', '--task', 't', '--previous-run', '..', '--', 'true'],
      '[BUS_ID_INVALID]',
    ],
    [
      'a prompt that is not there',
      ['--project', 'p', '--task', 't', '--prompt', 'none.md', '--', 'true'],
      'it does not exist',
    ],
    ['a prompt that is a folder', ['--project', 'p', '--task', 't', '--prompt', '.', '--', 'true'], 'it is a folder'],
    [
      'a type with spaces',
      ['--project', 'p', '--task', 't', '--agent-type', 'a b', '--', 'true'],
      '--agent-type takes a name',
    ],
    [
      'a server',
      ['--project', 'p', '--task', 't', '--url', 'http://127.0.0.1:1', '--', 'true'],
      'works on this machine alone',
    ],
  ] as const)('is refused with %s, and nothing is written', async (_, words, text) => {
    const task = makeTask()
    const outcome = await task.postern('run', ...words)
    expect(outcome.exit).toBe(64)
    expect(outcome.stderr).toContain(text)
    expect(outcome.stderr).not.toMatch(/JRUN_|POSTERN_/)
    expect(readdirSync(task.home)).not.toContain('buses')
  })
})
