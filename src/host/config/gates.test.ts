import { execFileSync } from 'node:child_process'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { DEAD_MACHINE_MS } from '../../../test/helpers/patience.ts'
import { temporaryFolder } from '../../../test/helpers/temp.ts'
import { runCommand } from '../../kit/node/run-command.ts'
import { type GateSetting, parseSessionGates, withHarvest } from './gates.ts'

const parse = (gates: Record<string, unknown>) => parseSessionGates(gates as Record<string, GateSetting>)

describe('gates of every session, as a configuration sets them', () => {
  it('may be set by the name of a built-in gate and a mode', () => {
    expect(parse({ decision: 'strict', 'commit-push': 'soft', 'task-update': 'soft', harvest: 'soft' })).toMatchObject([
      { name: 'decision', hook: 'stop', mode: 'strict', check: null },
      { name: 'commit-push', hook: 'stop', mode: 'soft', check: expect.stringContaining('git') },
      { name: 'task-update', hook: 'stop', mode: 'soft', check: null, reason: expect.stringContaining('bus post') },
      { name: 'harvest', hook: 'stop', mode: 'soft', check: null, reason: expect.stringContaining('handoff leave') },
    ])
    expect(parse({ 'commit-push': 'strict' })).toMatchObject([{ mode: 'strict' }])
    expect(parse({ decision: { reason: 'Ask anna' } })).toMatchObject([{ mode: 'strict', reason: 'Ask anna' }])
  })

  it('may be switched off', () => {
    expect(parse({ decision: 'off', 'task-update': 'off' })).toEqual([])
  })

  it('may be the user’s own, with all their fields', () => {
    expect(parse({ tests: { hook: 'tool', mode: 'soft', check: 'npm test', reason: 'Run them' } })).toEqual([
      { name: 'tests', hook: 'tool', mode: 'soft', check: 'npm test', reason: 'Run them' },
    ])
    expect(parse({ notes: {} })).toMatchObject([
      { hook: 'stop', mode: 'strict', check: null, reason: expect.stringContaining('postern gate mark notes') },
    ])
  })

  it.each<[string, Record<string, unknown>, RegExp]>([
    ['a mode that is none', { decision: 'hard' }, /mode/],
    ['a hook that is none', { notes: { hook: 'start' } }, /hook/],
    ['a name that is none', { '../x': 'strict' }, /gate name/],
    ['an unknown gate without what it checks', { notes: 'strict' }, /not built in/],
    ['a name that every object has', { constructor: 'strict' }, /not built in/],
    ['a word that is misspelt', { notes: { chek: 'true' } }, /"gates.notes.chek"/],
    ['a command that is no text', { notes: { check: 1 } }, /"gates.notes.check"/],
    ['an empty reason', { notes: { reason: ' ' } }, /"gates.notes.reason"/],
    ['a list', { notes: [] }, /neither a mode nor an object/],
    ['nothing', { notes: null }, /neither a mode nor an object/],
  ])('are refused with %s', (_, gates, words) => {
    expect(() => parse(gates)).toThrow(words)
  })
})

describe('the gate harvest', () => {
  const modes = (gates: Record<string, GateSetting>, harvest: unknown) =>
    parseSessionGates(withHarvest(gates, harvest)).map(({ name, mode }) => `${name} ${mode}`)

  it('may be set by handoff.harvest', () => {
    expect(modes({}, true)).toEqual(['harvest soft'])
    expect(modes({}, 'strict')).toEqual(['harvest strict'])
    expect(modes({ decision: 'strict' }, undefined)).toEqual(['decision strict'])
    expect([modes({}, false), modes({}, 'off')]).toEqual([[], []])
  })

  it('follows gates.harvest if both are set', () => {
    expect(modes({ harvest: 'strict' }, true)).toEqual(['harvest strict'])
    expect(modes({ harvest: 'off' }, true)).toEqual([])
  })

  it.each([
    ['a mode that is none', 'hard'],
    ['a number', 1],
  ])('is refused as %s', (_, harvest) => {
    expect(() => modes({}, harvest)).toThrow(/mode/)
  })
})

describe('the gate commit-push', () => {
  const [rule] = parse({ 'commit-push': 'soft' })
  const isMet = async (folder: string) => {
    const { exitCode } = await runCommand(rule?.check ?? '', { folder, timeoutMs: DEAD_MACHINE_MS })
    return exitCode === 0
  }

  it('passes outside a repository', async () => {
    expect(await isMet(temporaryFolder())).toBe(true)
  })

  it('holds for uncommitted work and, if there is a remote, for commits that are not pushed', async () => {
    const folder = temporaryFolder()
    const git = (...args: string[]) =>
      execFileSync('git', ['-c', 'user.name=x', '-c', 'user.email=x@x', ...args], { cwd: folder, stdio: 'ignore' })
    git('init')
    expect(await isMet(folder)).toBe(true)
    writeFileSync(join(folder, 'a'), 'a')
    expect(await isMet(folder)).toBe(false)
    git('add', 'a')
    git('commit', '-m', 'a')
    expect(await isMet(folder)).toBe(true)

    const remote = temporaryFolder()
    execFileSync('git', ['init', '--bare'], { cwd: remote, stdio: 'ignore' })
    git('remote', 'add', 'origin', remote)
    expect(await isMet(folder)).toBe(false)
    git('push', 'origin', 'HEAD')
    expect(await isMet(folder)).toBe(true)
    git('commit', '--allow-empty', '-m', 'b')
    expect(await isMet(folder)).toBe(false)
    git('push', 'origin', 'HEAD')
    git('branch', 'elsewhere')
    git('checkout', 'elsewhere')
    git('commit', '--allow-empty', '-m', 'c')
    expect(await isMet(folder)).toBe(false)
    git('checkout', '-')
    // Commits on another branch are not the work of this turn.
    expect(await isMet(folder)).toBe(true)
  })
})
