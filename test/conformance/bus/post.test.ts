import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect } from 'vitest'
import { verifies } from '../../scenarios/verifies.ts'
import { asJustin, asQuinn, EVERYONE } from '../gates/people.ts'
import { conformance, refused } from '../suite.ts'
import { bodies, PROJECT, say, scribble, TASK, TASK_FILE, textOf } from './buses.ts'

const LARGE = 64 * 1024 + 1

conformance('posting on a bus', ({ rule, open }) => {
  rule('writes an entry into the file of its project or task, which reads as it was said', async () => {
    verifies('S002.post')
    const { postern, busRoot } = await open({ agents: EVERYONE })
    const said = {
      type: 'ISSUE',
      run_id: 'run_20260205-123456-12345',
      issue_id: 'ISSUE-1',
      parents: [{ msg_id: 'MSG-20260205-120000-000000001-PID01234-0001', kind: 'depends_on' }],
      links: [{ kind: 'output', path: '/runs/output.md' }],
      meta: { agent_type: 'codex', exit_code: 3, deep: { list: [true, null] } },
    }
    const body = 'Need update unit tests\n---\nbefore release.\n'
    const posted = await asQuinn(postern).bus.post({ ...TASK, ...said, body })
    expect(posted).toEqual({
      msg_id: expect.stringMatching(/^MSG-\d{8}-\d{6}-\d{9}-PID\d{5,}-\d{4,}$/),
      ts: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$/),
      warnings: [],
      messageId: null,
      decisionId: null,
    })
    const { items, cursor } = await postern.bus.read(TASK)
    const meta = { from: 'quinn', from_verified: true, ...said.meta }
    expect(items).toEqual([{ msg_id: posted.msg_id, ts: posted.ts, ...TASK, ...said, meta, body }])
    expect(cursor).toBe(posted.msg_id)
    expect(textOf(busRoot, TASK_FILE)).toContain('issue_id: ISSUE-1')

    const other = await postern.bus.post({ ...PROJECT, message: 'For all tasks' })
    expect((await postern.bus.read(PROJECT)).items).toEqual([
      { msg_id: other.msg_id, ts: other.ts, type: 'USER', ...PROJECT, body: 'For all tasks' },
    ])
    expect(bodies(await postern.bus.read(TASK))).toEqual([body])
  })

  rule('says who wrote it, by the caller alone', async () => {
    verifies('S002.post')
    const { postern } = await open({ agents: EVERYONE })
    await say(asQuinn(postern), 'one')
    await say(postern.as({ id: 'rex', kind: 'ai', verified: false, via: 'cli' }), 'two')
    await say(postern, 'three')
    const { items } = await postern.bus.read(TASK)
    expect(items.map(({ meta }) => meta)).toEqual([{ from: 'quinn', from_verified: true }, { from: 'rex' }, undefined])
    for (const key of ['from', 'from_verified', 'decision_id'])
      await refused(say(postern, 'forged', { meta: { [key]: 'justin' } }), 'BUS_ENTRY_INVALID')
    expect(bodies(await postern.bus.read(TASK))).toEqual(['one', 'two', 'three'])
  })

  rule('writes older names of types as what they mean, and any body byte for byte', async () => {
    verifies('S002.post')
    const { postern } = await open()
    await say(postern, 'x', { type: 'run_start' })
    const bytes = Buffer.from([0xff, 0x00, 0x0a, 0x2d, 0x2d, 0x2d, 0x0d])
    await postern.bus.post({ ...TASK, type: 'Observation', body_base64: bytes.toString('base64') })
    const { items } = await postern.bus.read(TASK)
    expect(items.map(({ type }) => type)).toEqual(['START', 'OBSERVATION'])
    expect(items[1]?.body_base64).toBe(bytes.toString('base64'))
  })

  rule('takes a large body with advice, and refuses a larger one', async () => {
    verifies('S002.limits')
    const { postern, busRoot } = await open()
    const { warnings } = await postern.bus.post({ ...TASK, body: 'x'.repeat(LARGE) })
    expect(warnings).toEqual([expect.stringMatching(/Attach/)])
    const before = textOf(busRoot, TASK_FILE)
    const error = await refused(say(postern, 'x'.repeat(4 * LARGE)), 'BUS_BODY_TOO_LARGE')
    expect(error.next).toMatch(/Attach/)
    expect(textOf(busRoot, TASK_FILE)).toBe(before)
  })

  rule('refuses what is no entry, and leaves nothing behind', async () => {
    verifies('S002.limits')
    const { postern, busRoot } = await open({ agents: EVERYONE })
    for (const project_id of ['..', '../x', 'a/b', 'a\0b', '', 'x'.repeat(4_096)]) {
      await refused(postern.bus.post({ project_id, body: 'x' }), 'BUS_ID_INVALID')
      await refused(postern.bus.post({ project_id: 'p', task_id: project_id, body: 'x' }), 'BUS_ID_INVALID')
      await refused(say(postern, 'x', { run_id: project_id }), 'BUS_ID_INVALID')
      await refused(say(postern, 'x', { issue_id: project_id }), 'BUS_ID_INVALID')
    }
    await refused(say(postern, 'x', { type: 'no type' }), 'BUS_TYPE_INVALID')
    await refused(postern.bus.post(TASK), 'BUS_ENTRY_INVALID')
    await refused(say(postern, ''), 'BUS_ENTRY_INVALID')
    await refused(say(postern, 'x', { message: 'x' }), 'BUS_ENTRY_INVALID')
    await refused(say(postern, 'x', { parents: ['a b'] }), 'BUS_ID_INVALID')
    await refused(say(postern, 'x', { links: [{ url: 'javascript:x' }] }), 'BUS_ENTRY_INVALID')
    await refused(say(postern, 'x', { meta: { big: 'x'.repeat(16 * 1024) } }), 'BUS_ENTRY_INVALID')
    await refused(say(postern, 'x', { meta: { long: new Array(4_000).fill(1) } }), 'BUS_ENTRY_INVALID')
    await refused(say(postern, 'x', { to: ['nobody'] }), 'AGENT_NOT_FOUND')
    await refused(say(postern, 'x', { to: ['nobody'], attachments: [{ data: 'YQ==' }] }), 'AGENT_NOT_FOUND')
    await refused(say(postern, 'x', { attachments: [{ data: 'no' }] }), 'BUS_ENTRY_INVALID')
    expect(existsSync(busRoot)).toBe(false)
  })

  rule('needs no words where it says something else', async () => {
    const { postern } = await open()
    await postern.bus.post({ ...TASK, type: 'ISSUE', issue_id: 'ISSUE-1', meta: { status: 'closed' } })
    expect(bodies(await postern.bus.read(TASK))).toEqual([''])
  })

  rule('attaches what lies in the folder, or is given, with its checksum', async () => {
    verifies('S002.attachments')
    const { postern, busRoot } = await open()
    scribble(busRoot, 'conductor-loop/task-docs/logs/out.txt', 'hello')
    await say(postern, 'see', {
      attachment_path: 'logs/out.txt',
      attachments: [
        { path: 'logs/out.txt', kind: 'log', label: 'stdout' },
        { data: Buffer.from('given').toString('base64'), name: '../../evil.png', mime: 'image/png' },
      ],
    })
    const [entry] = (await postern.bus.read(TASK)).items
    expect(entry).toMatchObject({
      attachment_path: 'logs/out.txt',
      attachments: [
        {
          path: 'logs/out.txt',
          kind: 'log',
          label: 'stdout',
          size_bytes: 5,
          sha256: expect.stringMatching(/^2cf24dba/),
        },
        { path: expect.stringMatching(/^attachments\/[^/]*evil\.png$/), mime: 'image/png', size_bytes: 5 },
      ],
    })
    const kept = entry?.attachments?.[1]?.path ?? ''
    expect(readFileSync(join(busRoot, 'conductor-loop/task-docs', kept), 'utf8')).toBe('given')
    for (const path of ['../PROJECT-MESSAGE-BUS.md', '/etc/passwd', 'logs', 'nothing.txt', 'logs/../../x']) {
      await refused(say(postern, 'x', { attachments: [{ path }] }), 'ATTACHMENT_REFUSED')
      await refused(say(postern, 'x', { attachment_path: path }), 'ATTACHMENT_REFUSED')
    }
    expect((await postern.bus.read(TASK)).items).toHaveLength(1)
  })

  rule('closes what a dying writer left, and says so', async () => {
    verifies('S002.post')
    const { postern, busRoot } = await open()
    await say(postern, 'first')
    scribble(busRoot, TASK_FILE, '---\nmsg_id: MSG-torn\nts: 2026-')
    const { warnings } = await postern.bus.post({ ...TASK, body: 'second' })
    expect(warnings).toEqual([expect.stringMatching(/half written/)])
    const page = await postern.bus.read(TASK)
    expect(bodies(page)).toEqual(['first', 'second'])
    expect(page.faults).toHaveLength(1)
    expect(await postern.bus.verify(TASK)).toMatchObject({ ...TASK, isSound: false, entries: 2, faults: [{}] })
  })

  rule('lists the buses, tells issues, and lets only people set a bus aside', async () => {
    verifies('S002.rotate')
    const { postern } = await open({ agents: EVERYONE })
    const first = await say(postern, 'one')
    const issue = await postern.bus.post({ ...PROJECT, type: 'ISSUE', issue_id: 'ISSUE-1', body: 'Write tests' })
    await postern.bus.post({ project_id: 'other', body: 'x' })
    expect((await postern.bus.list()).map(({ bytes: _, changedAt: __, ...status }) => status)).toEqual([
      { ...PROJECT, lastId: issue.msg_id },
      { ...TASK, lastId: first },
      { project_id: 'other', lastId: expect.any(String) },
    ])
    expect((await postern.bus.list(PROJECT)).map(({ task_id }) => task_id)).toEqual([undefined, 'task-docs'])
    expect(await postern.bus.issues(PROJECT)).toMatchObject({
      ...PROJECT,
      issues: [{ id: 'ISSUE-1', title: 'Write tests', state: 'ready' }],
      cycles: [],
    })
    await refused(asQuinn(postern).bus.rotate(TASK), 'NOT_ALLOWED')
    await refused(asJustin(postern).bus.rotate({ ...TASK, overBytes: -1 }), 'VALUE_INVALID')
    expect(await asJustin(postern).bus.rotate({ ...TASK, overBytes: 1_000_000 })).toMatchObject({ archive: null })
    expect(await asJustin(postern).bus.rotate(TASK)).toMatchObject({ archive: 'TASK-MESSAGE-BUS.0001.md' })
    await say(postern, 'two')
    expect(bodies(await postern.bus.read(TASK))).toEqual(['one', 'two'])
    expect(bodies(await postern.bus.read({ ...TASK, after: first }))).toEqual(['two'])
    expect(await postern.bus.verify(TASK)).toMatchObject({ isSound: true, entries: 2, isSorted: true })
  })

  rule('says that a bus is not there, or is no bus', async () => {
    verifies('S002.limits')
    const { postern, busRoot } = await open({ agents: EVERYONE })
    for (const verb of ['read', 'issues', 'verify'] as const) {
      await refused(postern.bus[verb](TASK), 'BUS_NOT_FOUND')
      await refused(postern.bus[verb]({ project_id: '../x' }), 'BUS_ID_INVALID')
    }
    await refused(asJustin(postern).bus.rotate(TASK), 'BUS_NOT_FOUND')
    expect(await postern.bus.list()).toEqual([])
    scribble(busRoot, `${TASK_FILE}/x`, 'a folder where the file should be')
    await refused(postern.bus.read(TASK), 'BUS_UNUSABLE')
    await refused(say(postern, 'x'), 'BUS_UNUSABLE')
  })
})
