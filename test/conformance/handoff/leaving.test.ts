import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect } from 'vitest'
import { namesIn } from '../../helpers/handoff/projects.ts'
import { temporaryFolder } from '../../helpers/temp.ts'
import { verifies } from '../../scenarios/verifies.ts'
import { conformance, refused } from '../suite.ts'
import { boxOf, leave, project, repository, take } from './handing.ts'

conformance('leaving an item', ({ rule, open }) => {
  rule('writes it in the form of the seed, from the day and the branch where no session is named', async () => {
    verifies('S004.leave')
    const { postern } = await open()
    const root = await project(postern)
    const left = await leave(postern, root, 'Rotate the tokens.\n\n---\ntype: caution', { priority: 'high' })
    expect(left).toMatchObject({ box: 'inbox', from_session: '2026-01-15-main', message: null, gate: null, plan: null })
    expect(left.path).toBe(join(boxOf(root), left.name))
    expect(left.name).toMatch(/^\d+-[0-9a-z]+-learning\.md$/)
    expect(readFileSync(left.path, 'utf8')).toMatch(
      /^---\nfrom_session: "?2026-01-15-main"?\ntype: learning\npriority: high\ncreated: "?2026-01-15T09:00:00.000Z"?\n---\n\nRotate/,
    )
    expect(await take(postern, root)).toEqual(['Rotate the tokens.\n\n---\ntype: caution'])
  })

  rule('tells what showing it will cost', async () => {
    verifies('S004.leave')
    const { postern } = await open()
    const root = await project(postern)
    const short = await leave(postern, root, 'short')
    const long = await leave(postern, root, 'x'.repeat(3_500))
    expect(long.tokens - short.tokens).toBeGreaterThan(950)
    const { items } = await postern.handoff.list({ project: root })
    expect(new Set(items.map(({ tokens }) => tokens))).toEqual(new Set([short.tokens, long.tokens]))
  })

  rule('keeps every text as it was said', async () => {
    verifies('S004.leave')
    const { postern } = await open()
    const root = await project(postern)
    for (const text of [
      '---\nno: header\n---\nx',
      'a\r\nb',
      '  indented',
      '"quoted',
      'ünï 😀',
      '#: x\n- y: [',
      '\ufeffx',
    ]) {
      await leave(postern, root, text)
      expect(await take(postern, root)).toEqual([text])
    }
  })

  rule('refuses what is no item, and leaves nothing then', async () => {
    verifies('S004.leave')
    const { postern } = await open()
    const root = await project(postern)
    const wrong = (more: object, text = 'x') => leave(postern, root, text, more as never)
    await refused(wrong({ type: 'note' }), 'HANDOFF_TYPE_INVALID')
    await refused(wrong({ type: 'Learning' }), 'HANDOFF_TYPE_INVALID')
    await refused(wrong({ priority: 'urgent' }), 'HANDOFF_PRIORITY_INVALID')
    for (const text of ['', ' \n\t']) await refused(wrong({}, text), 'HANDOFF_ITEM_INVALID')
    await refused(wrong({}, 'x'.repeat(64 * 1024)), 'HANDOFF_ITEM_INVALID')
    await refused(wrong({}, 'a\0b'), 'TEXT_INVALID')
    for (const session of ['', '  ', 'a\nb', 'a\u2028b']) await refused(wrong({ session }), 'HANDOFF_ITEM_INVALID')
    for (const toRepo of ['', '../x', 'a/b', '..', 'atlas']) await refused(wrong({ toRepo }), 'HANDOFF_ITEM_INVALID')
    expect(namesIn(boxOf(root)).filter((name) => name.endsWith('.md'))).toEqual([])
  })

  rule('fits as many bytes as it says, whatever else stands in the file', async () => {
    verifies('S004.leave')
    const { postern } = await open()
    const root = await project(postern)
    const most = 64 * 1024 - 1_500
    await leave(postern, root, 'ä'.repeat(most / 2), { session: '"\\'.repeat(75) })
    const inheritance = await postern.handoff.inherit({ project: root })
    expect([inheritance.items.length, inheritance.refused]).toEqual([1, []])
  })

  rule('needs a project, named by its whole path', async () => {
    verifies('S004.leave')
    const { postern } = await open()
    const outside = temporaryFolder()
    await refused(leave(postern, outside, 'x'), 'HANDOFF_OUTSIDE')
    await refused(leave(postern, 'atlas', 'x'), 'VALUE_INVALID')
    await refused(leave(postern, join(outside, 'a\0b'), 'x'), 'TEXT_INVALID')
    await refused(postern.handoff.init({ project: outside }), 'HANDOFF_OUTSIDE')
  })

  rule('works from anywhere within the project', async () => {
    verifies('S004.leave')
    const { postern } = await open()
    const root = await project(postern)
    const inner = join(boxOf(root), 'processed')
    expect((await leave(postern, inner, 'one')).path).toContain(boxOf(root))
  })

  rule('shares nothing where there is no inbox to share', async () => {
    verifies('S004.leave')
    const { postern } = await open({ handoff: { sharedInbox: null } })
    const root = await project(postern)
    await refused(leave(postern, root, 'x', { toRepo: true }), 'HANDOFF_ITEM_INVALID')
  })

  rule('is at the root of the main repository for all worktrees where that is set', async () => {
    verifies('S004.leave')
    const { postern } = await open({ handoff: { shared: true } })
    const root = repository()
    expect(await postern.handoff.init({ project: root })).toMatchObject({ root, inbox: boxOf(root) })
    expect((await postern.handoff.init({ project: root })).made).toEqual([])
    expect(existsSync(boxOf(root))).toBe(true)
  })
})

conformance('the outbox', ({ rule, open }) => {
  const report = { kind: 'governance-report', text: 'All is well.' }

  rule('takes a report in the form of the seed, and never replaces one', async () => {
    verifies('S004.leave')
    const { postern } = await open()
    const root = await project(postern)
    const written = await postern.handoff.writeOut({ project: root, ...report, topic: 'Tokens', session: 's1' })
    expect(written.name).toMatch(/^governance-report-.*\.md$/)
    expect(readFileSync(written.path, 'utf8').trimEnd()).toBe(
      '# Governance Report: Tokens\n\n**Session:** s1\n**Date:** 2026-01-15\n\nAll is well.',
    )
    const second = await postern.handoff.writeOut({ project: root, ...report })
    expect(readFileSync(second.path, 'utf8')).toContain('# Governance Report: atlas\n\n**Session:** 2026-01-15-main\n')
    const names = (await postern.handoff.listOut({ project: root })).map(({ name }) => name)
    expect(names.toSorted()).toEqual([written.name, second.name].toSorted())
  })

  rule('takes other kinds as they are, and nothing that could be a path', async () => {
    verifies('S004.leave')
    const { postern } = await open()
    const root = await project(postern)
    const { path } = await postern.handoff.writeOut({ project: root, kind: 'build-trigger', text: 'go: now' })
    expect(readFileSync(path, 'utf8').trimEnd()).toBe('go: now')
    for (const kind of ['', '../x', 'A', 'a/b', '-a', '.a', 'a'.repeat(61)]) {
      await refused(postern.handoff.writeOut({ project: root, kind, text: 'x' }), 'HANDOFF_ITEM_INVALID')
    }
    const topic = { project: root, kind: 'build-trigger', text: 'x', topic: 'x' }
    await refused(postern.handoff.writeOut(topic), 'HANDOFF_ITEM_INVALID')
    await refused(postern.handoff.writeOut({ project: root, ...report, topic: 'a\nb' }), 'HANDOFF_ITEM_INVALID')
    await refused(postern.handoff.writeOut({ project: root, ...report, text: ' ' }), 'HANDOFF_ITEM_INVALID')
    expect(await postern.handoff.listOut({ project: root })).toHaveLength(1)
  })
})
