import { existsSync, readdirSync, rmSync, symlinkSync } from 'node:fs'
import { join } from 'node:path'
import { expect } from 'vitest'
import { namesIn, plantFile, seedItem } from '../../helpers/handoff/projects.ts'
import { storeWith } from '../../helpers/store-with.ts'
import { temporaryFolder } from '../../helpers/temp.ts'
import { verifies } from '../../scenarios/verifies.ts'
import { conformance, refused } from '../suite.ts'
import { bodies, boxOf, leave, peek, processedOf, project, repository, show, take } from './handing.ts'

const AGENTS = ['quinn', 'rex']

conformance('an inheritance', ({ rule, open }) => {
  rule('offers what was left, and moves it once it is confirmed', async () => {
    verifies('S004.offer.confirm')
    const { postern } = await open()
    const root = await project(postern)
    const { name } = await leave(postern, root, 'Rotate the tokens.', { session: '2026-01-10-auth' })
    const { id, items, tokens } = await show(postern, root, { session: 's' })
    expect(items).toEqual([
      {
        box: 'inbox',
        name,
        type: 'learning',
        priority: 'medium',
        from_session: '2026-01-10-auth',
        created: '2026-01-15T09:00:00.000Z',
        to: null,
        to_repo: null,
        gate: null,
        plan: null,
        extra: {},
        body: 'Rotate the tokens.',
      },
    ])
    expect(tokens).toBeGreaterThan(10)
    expect(namesIn(boxOf(root))).toContain(name)
    expect(await postern.handoff.confirm({ id })).toEqual({ id, moved: [join('inbox', 'processed', name)] })
    expect([existsSync(join(boxOf(root), name)), namesIn(processedOf(root))]).toEqual([false, [name]])
    expect(await take(postern, root)).toEqual([])
  })

  rule('has no id where nothing is offered, and says whether a handoff was set up', async () => {
    verifies('S004.offer.confirm')
    const { postern } = await open()
    const root = await project(postern)
    const nothing = { id: null, root, items: [], waiting: [], refused: [] }
    expect(await postern.handoff.inherit({ project: root })).toMatchObject({ ...nothing, isInitialised: true })
    const elsewhere = { ...nothing, root: repository(), isInitialised: false, heldBack: 0 }
    expect(await postern.handoff.inherit({ project: elsewhere.root })).toMatchObject(elsewhere)
  })

  rule('is confirmed once, however often it is said, and not before it was printed', async () => {
    verifies('S004.offer.confirm')
    const { postern, again } = await open()
    const root = await project(postern)
    await leave(postern, root, 'one')
    const { id } = await postern.handoff.inherit({ project: root })
    await refused(postern.handoff.confirm({ id: id ?? '' }), 'OFFER_UNPRINTED')
    await postern.handoff.printed({ id: id ?? '' })
    const other = await again()
    const confirmed = await Promise.all([postern, other].map((each) => each.handoff.confirm({ id: id ?? '' })))
    expect(confirmed.flatMap(({ moved }) => moved)).toHaveLength(1)
    expect(await postern.handoff.confirm({ id: id ?? '' })).toEqual({ id, moved: [] })
    await postern.handoff.printed({ id: id ?? '' })
    await postern.handoff.release({ id: id ?? '', reason: 'too late' })
    expect(namesIn(processedOf(root))).toHaveLength(1)
  })

  rule('can be given back, and is none any more then', async () => {
    verifies('S004.offer.confirm')
    const { postern } = await open()
    const root = await project(postern)
    await leave(postern, root, 'one')
    const { id } = await show(postern, root)
    await postern.handoff.release({ id, reason: 'the terminal is gone' })
    await refused(postern.handoff.confirm({ id }), 'HANDOFF_OFFER_NOT_FOUND')
    await refused(postern.handoff.printed({ id }), 'HANDOFF_OFFER_NOT_FOUND')
    await refused(postern.handoff.release({ id: 'inh_none', reason: 'x' }), 'HANDOFF_OFFER_NOT_FOUND')
    expect(await take(postern, root)).toEqual(['one'])
  })

  rule('shares items between sessions that begin at once, each with exactly one', async () => {
    verifies('S004.offer.once')
    const { postern, again } = await open()
    const root = await project(postern)
    const texts = Array.from({ length: 40 }, (_, at) => `item ${at}`)
    for (const text of texts) await leave(postern, root, text)
    const other = await again()
    const heirs = Array.from({ length: 16 }, (_, at) => ({ postern: at % 2 ? other : postern, session: `s${at}` }))
    const shown: string[] = []
    while (namesIn(boxOf(root)).some((name) => name.endsWith('.md'))) {
      const taken = await Promise.all(
        heirs.map(({ postern, session }) => take(postern, root, { session, maxTokens: 60 })),
      )
      shown.push(...taken.flat())
    }
    expect(shown.toSorted()).toEqual(texts.toSorted())
    expect(namesIn(processedOf(root))).toHaveLength(texts.length)
  })

  rule('holds nothing that somebody else has inherited since the files were looked at', async () => {
    verifies('S004.offer.once')
    const { postern, again } = await open()
    const root = await project(postern)
    for (const text of ['one', 'two']) await leave(postern, root, text)
    const shown: string[] = []
    let looks = 0
    const late = await again({
      through: (store) => {
        const { inheritances } = store.read
        // Whoever inherits reads which offers are open after it has looked at the files, and before it stores its own.
        const opened: typeof inheritances.open = async (params) => {
          const known = await inheritances.open(params)
          if (++looks === 1) shown.push(...(await take(postern, root, { maxTokens: 1 })))
          return known
        }
        return storeWith(store, { read: { ...store.read, inheritances: { ...inheritances, open: opened } } })
      },
    })
    shown.push(...(await take(late, root)))
    expect([shown.toSorted(), looks]).toEqual([['one', 'two'], 2])
  })

  rule('shows an item to nobody else while it is offered', async () => {
    verifies('S004.offer.once')
    const { postern } = await open()
    const root = await project(postern)
    await leave(postern, root, 'one')
    await show(postern, root, { session: 'a' })
    expect(await peek(postern, root, { session: 'b' })).toEqual([])
    expect((await postern.handoff.list({ project: root })).items).toMatchObject([{ body: 'one', isOffered: true }])
  })

  rule('offers a session nothing more while it holds something, for hooks may be installed twice', async () => {
    verifies('S004.offer.once')
    const { postern } = await open()
    const root = await project(postern)
    await leave(postern, root, 'one')
    const { id } = await show(postern, root, { session: 'a' })
    await leave(postern, root, 'two')
    expect(await peek(postern, root, { session: 'a' })).toEqual([])
    await postern.handoff.confirm({ id })
    expect(await peek(postern, root, { session: 'a' })).toEqual(['two'])
  })

  rule('gives what is shared to the first other repository, and never to the one that left it', async () => {
    verifies('S004.offer.once', 'S004.offer.whose')
    const parent = temporaryFolder()
    const { postern } = await open({ handoff: { sharedInbox: join(parent, 'shared-inbox') } })
    const [atlas, borealis, corvus] = [
      await project(postern, 'atlas', parent),
      await project(postern, 'borealis', parent),
      await project(postern, 'corvus', parent),
    ]
    await leave(postern, atlas, 'for whoever comes', { toRepo: true })
    const named = await leave(postern, atlas, 'for corvus', { toRepo: 'corvus' })
    expect(named).toMatchObject({ box: 'from-atlas' })
    expect(await peek(postern, atlas)).toEqual([])
    const { id, items } = await show(postern, borealis, { session: 'b' })
    expect(items).toMatchObject([{ box: 'from-atlas', body: 'for whoever comes' }])
    expect(await peek(postern, corvus)).toEqual(['for corvus'])
    await postern.handoff.confirm({ id })
    expect(await take(postern, corvus)).toEqual(['for corvus'])
    expect(readdirSync(join(parent, 'shared-inbox', 'from-atlas', 'processed'))).toContain(named.name)
  })

  rule('offers an item for an agent to that alone, and to no session what it left itself', async () => {
    verifies('S004.offer.whose')
    const { postern } = await open({ agents: AGENTS })
    const root = await project(postern)
    await postern.sessions.begin({ id: 'of-rex', agent: 'rex' })
    await leave(postern, root, 'for rex', { to: 'rex' })
    await leave(postern, root, 'of s1', { session: 's1' })
    expect(await peek(postern, root)).toEqual(['of s1'])
    expect(await peek(postern, root, { agent: 'quinn', session: 's1' })).toEqual([])
    expect(await peek(postern, root, { agent: 'quinn', session: 's2' })).toEqual(['of s1'])
    expect((await peek(postern, root, { agent: 'rex' })).toSorted()).toEqual(['for rex', 'of s1'])
    expect((await peek(postern, root, { session: 'of-rex' })).toSorted()).toEqual(['for rex', 'of s1'])
    await refused(postern.handoff.inherit({ project: root, agent: 'quinn', session: 'of-rex' }), 'SESSION_CONFLICT')
  })

  rule('shows raw what it does not understand, and puts it aside then', async () => {
    verifies('S004.offer.confirm')
    const { postern } = await open()
    const root = await project(postern)
    plantFile(join(boxOf(root), 'notes.md'), 'no front matter\n---\ntype: learning\n')
    const { items, id } = await show(postern, root)
    expect(items).toMatchObject([{ name: 'notes.md', type: null, priority: 'medium', from_session: null }])
    expect(items[0]?.body).toContain('type: learning')
    expect((await postern.handoff.confirm({ id })).moved).toEqual([join('inbox', 'quarantine', 'notes.md')])
    expect(await postern.handoff.show({ project: root, name: 'notes.md' })).toMatchObject({ type: null })
  })

  rule('offers nothing of a folder that nobody has set up, and counts what waits there', async () => {
    verifies('S004.offer.confirm')
    const { postern } = await open()
    const root = repository()
    const notes = plantFile(join(boxOf(root), 'notes.md'), '# Mail of today\n')
    plantFile(join(boxOf(root), 'draft.md'), seedItem({ type: 'newsletter', priority: 'high' }, 'Dear all'))
    expect(await take(postern, root)).toEqual([])
    plantFile(join(boxOf(root), 'item.md'), seedItem({ from_session: 'x', type: 'learning' }, 'one'))
    expect((await postern.handoff.list({ project: root })).items).toMatchObject([{ name: 'item.md' }])
    const held = { id: null, isInitialised: false, heldBack: 1, items: [], waiting: [], refused: [] }
    expect(await postern.handoff.inherit({ project: root })).toMatchObject(held)
    await postern.handoff.init({ project: root })
    expect(await postern.handoff.inherit({ project: root })).toMatchObject({ isInitialised: true, heldBack: 0 })
    expect(existsSync(notes)).toBe(true)
  })

  rule('is set up by no program, which may only complete the folders of a project that was', async () => {
    verifies('S004.offer.confirm')
    const { postern } = await open({ agents: AGENTS })
    const quinn = postern.as({ id: 'quinn', kind: 'ai', verified: false, via: 'cli' })
    const root = repository()
    await refused(quinn.handoff.init({ project: root }), 'NOT_ALLOWED')
    expect(existsSync(boxOf(root))).toBe(false)
    await postern.handoff.init({ project: root })
    rmSync(processedOf(root), { recursive: true })
    expect((await quinn.handoff.init({ project: root })).made).toContain(join('inbox', 'processed'))
  })

  rule('is no trouble to other projects where its own folders cannot be used any more', async () => {
    verifies('S004.offer.lease')
    const { postern } = await open()
    const [broken, sound] = [await project(postern), await project(postern)]
    for (const root of [broken, sound]) await leave(postern, root, 'one')
    const { id } = await show(postern, broken, { session: 'a' })
    rmSync(boxOf(broken), { recursive: true })
    symlinkSync(temporaryFolder(), boxOf(broken))
    expect(await take(postern, sound, { session: 'b' })).toEqual(['one'])
    await refused(postern.handoff.inherit({ project: broken }), 'HANDOFF_UNUSABLE')
    await postern.handoff.release({ id, reason: 'its folders are gone' })
    await refused(postern.handoff.confirm({ id }), 'HANDOFF_OFFER_NOT_FOUND')
  })

  rule('names what is refused, every time, and leaves it where it is', async () => {
    verifies('S004.offer.confirm')
    const { postern } = await open()
    const root = await project(postern)
    symlinkSync(plantFile(join(temporaryFolder(), 'secret'), 'secret'), join(boxOf(root), 'link.md'))
    await leave(postern, root, 'one')
    for (const expected of [['one'], []]) {
      const inheritance = await postern.handoff.inherit({ project: root })
      expect([bodies(inheritance), inheritance.refused]).toMatchObject([expected, [{ box: 'inbox', name: 'link.md' }]])
      if (inheritance.id !== null) await postern.handoff.confirm({ id: inheritance.id, printed: true })
    }
    expect(namesIn(boxOf(root))).toContain('link.md')
  })

  rule('leaves what was written anew since it was shown, and shows that', async () => {
    verifies('S004.offer.confirm')
    const { postern } = await open()
    const root = await project(postern)
    const path = join(boxOf(root), 'a.md')
    const fields = { from_session: 'x', type: 'learning', priority: 'high', created: '2026-01-10T18:30:00Z' }
    plantFile(path, seedItem(fields, 'first'))
    const { id } = await show(postern, root)
    plantFile(path, seedItem(fields, 'second'))
    expect(await postern.handoff.confirm({ id })).toEqual({ id, moved: [] })
    expect(await take(postern, root)).toEqual(['second'])
  })
})
