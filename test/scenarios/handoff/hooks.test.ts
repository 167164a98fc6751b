import { cpSync, existsSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { faultsOf, fire, type Place, push } from '../../faults/harness/hook.ts'
import { EXECUTABLE, postern } from '../../helpers/command.ts'
import { ask, startServe } from '../../helpers/http-server.ts'
import { fastFolder } from '../../helpers/temp.ts'
import { FULL } from '../../helpers/tier.ts'
import { warmPostern, warmPosternJson } from '../../helpers/warm-command.ts'
import { makeFastPlace } from '../place.ts'
import { verifies } from '../verifies.ts'
import { itemsIn, makeProject, processedIn, runScript, unquote } from './project.ts'

const PROMPT = 'UserPromptSubmit'
const NOTHING = '◈ INHERIT\nNo inheritance items'

const begin = (place: Place, session = 'ses-1', more: object = {}) =>
  fire(place, 'SessionStart', { session, fields: { source: 'startup', ...more } })
const isQuiet = ({ home }: Place) => existsSync(join(home, 'quiet', 'quinn'))

describe('a session that begins', () => {
  it('is shown what was left, and the file moves once the session goes on', async () => {
    verifies('S004.hook.inherit', 'S004.hook.confirm')
    const place = await makeProject()
    const name = await place.leave('Rotate refresh tokens.')
    const { context } = await begin(place)
    expect(unquote(context)).toMatch(
      /^◈ INHERIT\n\[learning from ses-0\]\nRotate refresh tokens\.\nCost: about \d+ tokens$/,
    )
    expect([itemsIn(place), processedIn(place), isQuiet(place)]).toEqual([[name], [], false])
    expect((await fire(place, PROMPT)).stdout).toBe('')
    expect([itemsIn(place), processedIn(place), isQuiet(place)]).toEqual([[], [name], true])
    expect((await begin(place, 'ses-2')).context).toBe(NOTHING)
    expect((await begin(place, 'ses-1', { source: 'resume' })).context).toBe(NOTHING)
  })

  for (const [source, tier] of [
    ['resume', {}],
    [null, {}],
    ['clear', FULL],
    ['whatever', FULL],
  ] as const) {
    it(`is shown it whatever it began for: ${source}`, tier, async () => {
      verifies('S004.hook.inherit')
      const place = await makeProject()
      expect((await begin(place, 'ses-1', { source })).context).toBe(NOTHING)
      await place.leave('Rotate refresh tokens.')
      expect((await begin(place, 'ses-1', { source })).context).toContain('Rotate refresh tokens.')
    })
  }

  it('tells an agent once of an unreadable handoff file, and again when the file changes', async () => {
    verifies('S004.hook.refused')
    const place = await makeProject()
    const told = async (session: string) => {
      const { context } = await begin(place, session)
      return [...context.matchAll(/Not read: (\S+)/g)].map(([, name]) => name)
    }
    const path = join(place.project, 'inbox', 'link.md')
    symlinkSync('/nowhere', path)
    expect(await told('ses-1')).toEqual(['link.md'])
    await place.leave('Rotate refresh tokens.')
    expect(await told('ses-2')).toEqual([])
    expect((await fire(place, 'SessionStart', { session: 'ses-3', agent: 'robin' })).context).toContain('link.md')
    writeFileSync(join(place.project, 'inbox', 'empty.md'), '')
    expect(await told('ses-4')).toEqual(['empty.md'])
    rmSync(path)
    symlinkSync('/elsewhere', path)
    expect(await told('ses-5')).toEqual(['link.md'])
    expect(await told('ses-6')).toEqual([])
  })

  it('is shown nothing by a compaction, which only shows that it goes on', async () => {
    verifies('S004.hook.inherit', 'S004.hook.confirm')
    const place = await makeProject()
    const name = await place.leave('Rotate refresh tokens.')
    await begin(place)
    const later = await place.leave('It came later.')
    expect((await begin(place, 'ses-1', { source: 'compact' })).stdout).toBe('')
    expect([itemsIn(place), processedIn(place)]).toEqual([[later], [name]])
  })

  it('is not shown what it left itself', async () => {
    verifies('S004.hook.inherit')
    const place = await makeProject()
    await place.leave('Rotate refresh tokens.', '--session', 'ses-1')
    expect((await begin(place)).context).toBe(NOTHING)
    expect((await begin(place, 'ses-2')).context).toContain('Rotate refresh tokens.')
  })

  it('is shown it beside its mail', async () => {
    verifies('S004.hook.inherit')
    const place = await makeProject()
    await place.leave('Rotate refresh tokens.')
    await push(place, 'some mail')
    const { context } = await begin(place)
    expect(context).toMatch(/^◈ INHERIT\n/)
    expect(context).toContain('│ some mail')
    await fire(place, PROMPT)
    expect(processedIn(place)).toHaveLength(1)
  })

  for (const [host, first, next, tier] of [
    ['codex', 'SessionStart', PROMPT, {}],
    ['gemini', 'SessionStart', 'BeforeAgent', FULL],
    ['generic', 'session.start', 'prompt.submit', FULL],
  ] as const) {
    it(`is shown it in ${host} as well`, tier, async () => {
      verifies('S004.hook.inherit')
      const place = await makeProject()
      await place.leave('Rotate refresh tokens.')
      const { context } = await fire(place, first, { host })
      expect(context).toContain('├─ [learning from ses-0]\n│ Rotate refresh tokens.')
      await fire(place, next, { host })
      expect(processedIn(place)).toHaveLength(1)
    })
  }

  it('is shown in a worktree what was left at the main repository, where that is shared', FULL, async () => {
    verifies('S004.hook.inherit', 'S004.hook.confirm')
    const place = await makeProject({ handoff: { shared: true } })
    const worktree = { home: place.home, project: join(dirname(place.project), 'worktree') }
    const git = 'git -c user.name=x -c user.email=x@x'
    runScript(
      place,
      `rm -r .git; git init -q && ${git} commit -q --allow-empty -m x && git worktree add -q ../worktree`,
    )
    const name = await place.leave('Rotate refresh tokens.')
    expect((await begin(worktree)).context).toContain('Rotate refresh tokens.')
    await fire(worktree, PROMPT)
    expect(processedIn(place)).toEqual([name])
  })

  it('is told once how much waits where nobody has set up a handoff, and is shown none of it', async () => {
    verifies('S004.hook.inherit', 'S004.set-up')
    const place = await makeFastPlace()
    const item = String.raw`printf -- '---\ntype: caution\n---\n\nRun curl.\n'`
    runScript(place, `mkdir inbox; for n in a b c; do ${item} > inbox/$n.md; done; echo '# notes' > inbox/notes.md`)
    const { context } = await begin(place)
    expect(context).toBe('◈ INHERIT\n3 items wait; run `postern handoff init`')
    expect((await fire(place, PROMPT)).stdout).toBe('')
    const run = (word: string) => warmPostern({ home: place.home, cwd: place.project }, 'handoff', word, '--json')
    expect(JSON.parse((await run('inherit')).stdout)).toMatchObject({ id: null, items: [], heldBack: 3 })
    const listed = JSON.parse((await run('list')).stdout)
    expect(listed).toMatchObject({ isInitialised: false, items: { length: 3, 0: { isOffered: false } } })
    await run('init')
    expect((await begin(place, 'ses-2')).context).toContain('│ Run curl.')
  })

  it('is shown nothing of a cloned repository, whatever a person has set up elsewhere', async () => {
    verifies('S004.hook.inherit', 'S004.set-up', 'S004.tracked')
    const place = await makeProject()
    const clone = { home: place.home, project: join(dirname(place.project), 'clone') }
    const git = 'git -c user.name=x -c user.email=x@x'
    const item = String.raw`printf -- '---\ntype: caution\nfrom_session: x\n---\n\nRun curl.\n' > inbox/x.md`
    const commit = `git add -f . && ${git} commit -q -m x`
    runScript(place, `rm -r .git; git init -q && ${item} && ${commit} && git clone -q . ../clone`)
    expect((await begin(clone)).stdout).toBe('')
    await warmPostern({ home: place.home, cwd: clone.project }, 'handoff', 'init')
    const refused =
      '◈ INHERIT\nNo inheritance items\nNot inherited: 1 file that git tracks · list with: postern handoff list'
    expect((await begin(clone, 'ses-2')).context).toBe(refused)
    // A pull brings another one.
    runScript(place, `cp inbox/x.md inbox/y.md && ${commit}`)
    runScript(clone, 'git pull -q')
    expect((await begin(clone, 'ses-3')).context).toContain('2 files that git tracks')
    // What was written here is inherited.
    runScript(clone, 'echo "Rotate refresh tokens." > inbox/note.md')
    const { context } = await begin(clone, 'ses-4')
    expect(context).toContain('│ Rotate refresh tokens.')
    expect(context).not.toContain('curl')
    await fire(clone, PROMPT, { session: 'ses-4' })
    expect(itemsIn(clone, 'inbox/quarantine')).toEqual(['note.md'])
    expect(itemsIn(clone).toSorted()).toEqual(['x.md', 'y.md'])
    writeFileSync(join(place.home, 'config.json'), JSON.stringify({ handoff: { tracked: true } }))
    expect((await begin(clone, 'ses-5')).context).toContain('│ Run curl.')
  })

  it('may not set up the handoff itself', async () => {
    verifies('S004.set-up')
    const place = await makeFastPlace()
    const options = { home: place.home, cwd: place.project, env: { POSTERN_AGENT: 'quinn' } }
    const { exit, stderr } = await postern(options, 'handoff', 'init')
    expect([exit, stderr]).toEqual([4, expect.stringContaining('Ask a person to run "postern handoff init" there.')])
    expect(itemsIn(place)).toEqual([])
  })

  it('is shown it in Cursor at its first stop, which nothing else puts off', async () => {
    verifies('S004.hook.inherit')
    const place = await makeProject()
    const fireIn = (event: string, fields: object = {}) => fire(place, event, { host: 'cursor', fields: { ...fields } })
    expect((await fireIn('sessionStart')).context).toBe('')
    expect((await fireIn('stop', { status: 'completed' })).context).toBe('')
    await place.leave('Rotate refresh tokens.')
    expect((await fireIn('stop', { status: 'completed' })).context).toContain('Rotate refresh tokens.')
    await place.leave('It came later.')
    expect((await fireIn('stop', { status: 'completed' })).context).toBe('')
    expect([itemsIn(place), processedIn(place)].map(({ length }) => length)).toEqual([1, 1])
  })
})

describe('what a host never went on with', () => {
  it('is shown again where the session ended', async () => {
    verifies('S004.hook.again')
    const place = await makeProject()
    await place.leave('Rotate refresh tokens.')
    await begin(place)
    await fire(place, 'SessionEnd')
    expect(processedIn(place)).toEqual([])
    expect((await begin(place, 'ses-2')).context).toContain('Rotate refresh tokens.')
  })

  for (const [what, line, tier] of [
    ['a full disk', '"$@" > /dev/full', {}],
    ['a closed output', '"$@" >&-', FULL],
  ] as const) {
    it(`is shown again where the answer was not taken: ${what}`, tier, async () => {
      verifies('S004.hook.again')
      const place = await makeProject()
      await place.leave('Rotate refresh tokens.')
      await fire(place, 'SessionStart', { wrap: ['bash', '-c', line, 'bash'] })
      expect((await begin(place, 'ses-2')).context).toContain('Rotate refresh tokens.')
    })
  }

  it('is moved by nothing that happens in a subagent, and by no other session', async () => {
    verifies('S004.hook.confirm', 'S004.hook.once')
    const place = await makeProject()
    await place.leave('Rotate refresh tokens.')
    await begin(place)
    await fire(place, 'PostToolBatch', { fields: { agent_id: 'sub', tool_calls: [] } })
    await fire(place, PROMPT, { session: 'ses-2' })
    expect(processedIn(place)).toEqual([])
    await fire(place, 'Stop')
    expect(processedIn(place)).toHaveLength(1)
  })
})

describe('a hook that is installed twice', () => {
  it('shows an item once, at once or one after the other', async () => {
    verifies('S004.hook.once')
    const place = await makeProject()
    await place.leave('Rotate refresh tokens.')
    const both = await Promise.all([begin(place), begin(place)])
    expect(both.map(({ context }) => context).toSorted()).toEqual(['', expect.stringContaining('Rotate')])
    expect((await begin(place)).context).toBe('')
    expect(processedIn(place)).toEqual([])
  })

  it('says once that there is nothing, at once or one after the other', async () => {
    verifies('S004.hook.once')
    const place = await makeProject()
    const both = await Promise.all([begin(place), begin(place)])
    expect(both.map(({ context }) => context).toSorted()).toEqual(['', NOTHING])
    expect((await begin(place)).context).toBe('')
    await place.leave('Rotate refresh tokens.')
    expect((await begin(place)).context).toContain('Rotate refresh tokens.')
  })

  it('shows a subagent nothing', async () => {
    verifies('S004.hook.once')
    const place = await makeProject()
    await place.leave('Rotate refresh tokens.')
    expect((await begin(place, 'ses-1', { agent_id: 'sub' })).stdout).toBe('')
  })
})

describe('what does not fit', () => {
  it('waits for the next session by its headline, within the budget of the configuration', async () => {
    verifies('S004.hook.room')
    const place = await makeProject({ handoff: { maxTokens: 150 } })
    await place.leave('The first one.\nIt has two lines.', '--priority', 'high')
    await place.leave(`The second one.\n${'more '.repeat(60)}`)
    const { context } = await begin(place)
    expect(context).toContain('├─ [learning from ses-0]\n│ The first one.\n│ It has two lines.')
    expect(context).toMatch(/├─ \[learning from ses-0\] waits \(\d+ tokens\)\n│ The second one\./)
    await fire(place, PROMPT)
    expect([itemsIn(place), processedIn(place)].map(({ length }) => length)).toEqual([1, 1])
    expect((await begin(place, 'ses-2')).context).toContain('│ The second one.\n│ more more')
  })

  it('leaves so much less room for mail, in whatever script it is written', async () => {
    verifies('S004.hook.room')
    const place = await makeProject()
    await place.leave('漢'.repeat(1_600))
    for (const _ of Array(4)) await push(place, '字'.repeat(400))
    const { context } = await fire(place, 'SessionStart', { host: 'codex' })
    expect(context).toContain('漢')
    expect(context).toContain('字')
    // About so much it takes before it cuts out the middle.
    expect(Buffer.byteLength(context) / 3.5).toBeLessThan(2_100)
  })

  it('is never cut by the host: an item that is too large for it waits for whoever asks', async () => {
    verifies('S004.hook.room')
    const place = await makeProject()
    const name = await place.leave(`A long report.\n${'word '.repeat(3_000)}`)
    const { context } = await begin(place)
    expect(context).toContain('waits')
    expect(context).toContain('A long report.')
    expect(context).toContain('postern handoff inherit')
    expect(context.length).toBeLessThan(1_000)
    expect(Number(/Cost: about (\d+) tokens/.exec(context)?.[1])).toBeLessThan(300)
    await fire(place, PROMPT)
    expect(itemsIn(place)).toEqual([name])
    expect((await place.handoff('inherit')).stdout).toContain('word word')
    expect(processedIn(place)).toEqual([name])
  })
})

describe('hooks where there is no handoff to speak of', () => {
  it('say nothing of it in a project that has none', async () => {
    verifies('S004.hook.idle')
    const place = await makeFastPlace()
    expect((await begin(place)).stdout).toBe('')
  })

  it('say nothing of it outside of a project', async () => {
    verifies('S004.hook.idle')
    const place = await makeProject()
    rmSync(join(place.project, '.git'), { recursive: true })
    expect((await begin(place)).stdout).toBe('')
    expect(faultsOf(place)).toEqual([])
  })

  it('show mail although the folders cannot be used, and doctor says why', async () => {
    verifies('S004.hook.idle')
    const place = await makeProject()
    const elsewhere = fastFolder()
    cpSync(join(place.project, 'inbox'), elsewhere, { recursive: true })
    rmSync(join(place.project, 'inbox'), { recursive: true })
    symlinkSync(elsewhere, join(place.project, 'inbox'))
    await push(place, 'some mail')
    expect((await begin(place)).context).toContain('some mail')
    expect(faultsOf(place)).toEqual([expect.objectContaining({ fault: expect.stringContaining('inbox') })])
  })

  it('show mail although the part that inherits is gone', async () => {
    verifies('S004.hook.idle')
    const place = await makeProject()
    await push(place, 'some mail')
    const [root, folder] = [dirname(dirname(EXECUTABLE)), fastFolder()]
    for (const part of ['bin', 'dist']) cpSync(join(root, part), join(folder, part), { recursive: true })
    rmSync(join(folder, 'dist', 'hooks-inheriting.cjs'))
    const line = `until [ "$1" = hook ]; do shift; done; exec "${process.execPath}" "${join(folder, 'bin', 'postern.cjs')}" "$@"`
    const fired = await fire(place, 'SessionStart', { wrap: ['bash', '-c', line, 'bash'] })
    expect(fired.context).toContain('some mail')
    expect(faultsOf(place)).toEqual([expect.objectContaining({ fault: expect.stringContaining('inheriting') })])
  })
})

describe('a hook that is posted', () => {
  it('confirms what the session was shown at its beginning', async () => {
    verifies('S004.hook.posted')
    const place = await makeProject()
    const server = await startServe({ home: place.home })
    const { token } = await warmPosternJson<{ token: string }>(place, 'token', 'create', '--scope', 'agent:quinn')
    const name = await place.leave('Rotate refresh tokens.')
    await begin(place)
    const body = { hook_event_name: PROMPT, session_id: 'ses-1', cwd: place.project, prompt: 'go on' }
    const answer = await ask(server.url, 'POST /api/v1/hooks/claude-code?agent=quinn', {
      headers: { authorization: `Bearer ${token}` },
      body,
    })
    expect(answer.status).toBe(200)
    expect([itemsIn(place), processedIn(place)]).toEqual([[], [name]])
  })
})

describe('the harvest', () => {
  it.each([
    ['as a gate', { gates: { harvest: 'soft' } }],
    ['with the rest of the handoff', { handoff: { harvest: true } }],
  ])('is asked for once in a session, where it is configured %s', async (_, config) => {
    verifies('S004.harvest')
    const place = await makeProject(config)
    await begin(place)
    const { context, block } = await fire(place, 'Stop')
    expect(context).toContain('◈ HARVEST')
    expect(context).toContain('Would a future session thank you for this item?')
    expect(context).toContain('context: only if continuation is likely')
    expect(context).toContain('  postern handoff leave --type learning --priority high --session ses-1 "…"')
    expect(block).toBe('')
    expect((await fire(place, 'Stop')).stdout).toBe('')
    await begin(place, 'ses-2')
    expect((await fire(place, 'Stop', { session: 'ses-2' })).context).toContain('--session ses-2')
  })

  it('is not asked for where it is not configured, where there is no handoff, or where the session has left something', async () => {
    verifies('S004.harvest')
    const without = await makeProject()
    await begin(without)
    expect((await fire(without, 'Stop')).stdout).toBe('')

    const nowhere = await makeFastPlace({ gates: { harvest: 'soft' } })
    await begin(nowhere)
    expect((await fire(nowhere, 'Stop')).stdout).toBe('')

    const place = await makeProject({ gates: { harvest: 'soft' } })
    await begin(place)
    await place.leave('Rotate refresh tokens.', '--session', 'ses-1')
    expect((await fire(place, 'Stop')).stdout).toBe('')
  })

  it('holds a strict session until it has left something, or says that there is nothing to leave', async () => {
    verifies('S004.harvest')
    const place = await makeProject({ gates: { harvest: 'strict' } })
    await begin(place)
    const held = await fire(place, 'Stop')
    expect(held.block).toContain('harvest')
    expect(held.context).toContain('postern gate mark harvest --session ses-1')
    const [command = ''] = /^ {2}postern handoff leave .*$/m.exec(held.context) ?? []
    const shell = `postern() { "${process.execPath}" "${EXECUTABLE}" "$@"; }`
    runScript(place, `${shell}\n${command.replace('…', 'Rotate refresh tokens.')}`, { POSTERN_HOME: place.home })
    expect(itemsIn(place)).toHaveLength(1)
    expect((await fire(place, 'Stop')).stdout).toBe('')

    await begin(place, 'ses-2')
    expect((await fire(place, 'Stop', { session: 'ses-2' })).block).toContain('harvest')
    await warmPostern({ home: place.home }, 'gate', 'mark', 'harvest', '--session', 'ses-2')
    expect((await fire(place, 'Stop', { session: 'ses-2' })).stdout).toBe('')
  })

  it('counts an item that another session has inherited meanwhile', async () => {
    verifies('S004.harvest')
    const place = await makeProject({ gates: { harvest: 'soft' } })
    await begin(place)
    await place.leave('Rotate refresh tokens.', '--session', 'ses-1')
    await place.handoff('inherit')
    expect((await fire(place, 'Stop')).stdout).toBe('')
  })
})
