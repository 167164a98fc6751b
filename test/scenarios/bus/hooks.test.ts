import { execFileSync } from 'node:child_process'
import { cpSync, mkdirSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { EXECUTABLE, type Outcome } from '../../helpers/command.ts'
import { PATIENT_HOOK } from '../../helpers/patience.ts'
import { startScriptedHost } from '../../helpers/scripted-host.ts'
import { fastFolder } from '../../helpers/temp.ts'
import { warmPostern, warmPosternJson } from '../../helpers/warm-command.ts'
import { verifies } from '../verifies.ts'

const BUS = ['--project', 'conductor', '--task', 'docs']

const saysIn = ({ stdout }: Outcome) => stdout
const post = (home: string, ...words: readonly string[]) =>
  warmPosternJson<{ msg_id: string }>({ home }, 'bus', 'post', ...BUS, ...words)

/** A host in a project of which a bus lies in the folder above. */
async function hostWith(gates: Readonly<Record<string, unknown>>) {
  const home = fastFolder()
  writeFileSync(join(home, 'config.json'), JSON.stringify({ gates }))
  await warmPostern({ home }, 'agent', 'add', 'quinn')
  return startScriptedHost({ host: 'claude-code', home })
}

describe('a gate on a bus, in a host', () => {
  it('holds the end of a turn until somebody else has written what it waits for', async () => {
    verifies('S002.gate.hook')
    const host = await hostWith({})
    const { home } = host
    await host.fire('SessionStart')
    const { msg_id } = await post(home, '--type', 'QUESTION', '--body', 'Which?', '--as', 'quinn')
    await warmPosternJson(
      { home },
      'gate',
      'create',
      '--agent',
      'quinn',
      '--bus',
      'conductor/docs',
      '--where',
      `parent=${msg_id}`,
      'Wait for the answer',
    )
    const held = await host.fire('Stop')
    expect(JSON.parse(held.stdout)).toMatchObject({
      decision: 'block',
      reason: expect.stringContaining('Wait for the answer'),
    })
    await post(home, '--type', 'ANSWER', '--parent', msg_id, '--body', 'This one.')
    expect(saysIn(await host.fire('Stop'))).toMatch(/Gate gate_\w+ resolved: [\s\S]*Wait for the answer/)
    const gates = await warmPosternJson<{ items: { state: string }[] }>({ home }, 'gate', 'list', '--all')
    expect(gates.items).toMatchObject([{ state: 'resolved' }])
  })
})

describe('the gate task-update, in a host', () => {
  it('warns once that the bus around the project has not heard of the session', async () => {
    verifies('S002.gate.hook')
    const host = await hostWith({ 'task-update': 'soft' })
    await host.fire('SessionStart')
    expect(saysIn(await host.fire('Stop'))).not.toContain('bus post')
    writeFileSync(join(host.home, 'project', 'MESSAGE-BUS.md'), '')
    expect(saysIn(await host.fire('Stop'))).toContain('postern bus post')
    expect(saysIn(await host.fire('Stop'))).not.toContain('bus post')
  })

  it('goes by the run that the host is a part of before the folder', async () => {
    verifies('S002.gate.hook')
    const host = await hostWith({ 'task-update': 'strict' })
    writeFileSync(join(host.home, 'project', 'MESSAGE-BUS.md'), '')
    await post(host.home, '--type', 'START', '--body', 'begun')
    const stop = async () => {
      const event = { hook_event_name: 'Stop', session_id: 'session-1', cwd: join(host.home, 'project') }
      const words = ['hook', '--host', 'claude-code', '--agent', 'quinn']
      const env = { JRUN_PROJECT_ID: 'conductor', JRUN_TASK_ID: 'docs' }
      return saysIn(await host.run(words, JSON.stringify(event), env).ended)
    }
    await host.fire('SessionStart')
    expect(await stop()).toContain('bus post')
    await post(host.home, '--body', 'done', '--as', 'quinn')
    expect(await stop()).not.toContain('bus post')
  })
})

describe('a hook that cannot load the bus', () => {
  /** The built program without the part that holds the bus. */
  function withoutBus(): string {
    const [root, folder] = [dirname(dirname(EXECUTABLE)), fastFolder()]
    for (const part of ['bin', 'dist']) cpSync(join(root, part), join(folder, part), { recursive: true })
    rmSync(join(folder, 'dist', 'buses.cjs'))
    return join(folder, 'bin', 'postern.cjs')
  }

  it.each([
    ['where nothing asks for it', {}],
    ['where task-update does, for that holds nobody who is not to blame', { 'task-update': 'strict' }],
  ])('answers as ever %s', async (_, gates) => {
    verifies('S002.gate.hook')
    const home = fastFolder()
    const project = join(home, 'project')
    mkdirSync(project)
    writeFileSync(join(project, 'MESSAGE-BUS.md'), '')
    writeFileSync(join(home, 'config.json'), JSON.stringify({ gates: { notes: { reason: 'Write notes' }, ...gates } }))
    await warmPostern({ home }, 'agent', 'add', 'quinn')
    const program = withoutBus()
    const fire = (event: string) =>
      execFileSync(
        process.execPath,
        ['--require', PATIENT_HOOK, program, 'hook', '--host', 'claude-code', '--agent', 'quinn'],
        {
          input: JSON.stringify({ hook_event_name: event, session_id: 'session-1', cwd: project }),
          env: { PATH: process.env['PATH'] ?? '', HOME: home, POSTERN_HOME: home },
          encoding: 'utf8',
        },
      )
    fire('SessionStart')
    const answer = fire('Stop')
    expect(answer).toContain('Write notes')
    expect(answer).not.toContain('bus post')
  })
})
