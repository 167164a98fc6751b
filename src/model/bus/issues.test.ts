import { describe, expect, it } from 'vitest'
import type { BusEntry, BusParent } from './entry.ts'
import type { IssueGraph } from './issue.ts'
import { createIssueLog, deriveIssues } from './issues.ts'

const PLACE = { project_id: 'p', task_id: 't' }

/** A log of entries `M1`, `M2`, … */
function logOf(...entries: readonly Partial<BusEntry>[]): BusEntry[] {
  return entries.map((entry, at) => ({
    msg_id: `M${at + 1}`,
    ts: `2026-01-15T09:00:${String(at).padStart(2, '0')}Z`,
    type: 'ISSUE',
    project_id: 'p',
    body: `body ${at + 1}`,
    ...entry,
  }))
}

const issue = (issue_id: string, ...parents: BusParent[]): Partial<BusEntry> => ({ issue_id, parents })
const says = (issue_id: string, status: string): Partial<BusEntry> => ({ type: 'INFO', issue_id, meta: { status } })
const parent = (kind: string, msg_id: string): BusParent => ({ msg_id, kind })
const statesOf = ({ issues }: IssueGraph) => Object.fromEntries(issues.map(({ id, state }) => [id, state]))
const derive = (...entries: readonly Partial<BusEntry>[]) => deriveIssues(logOf(...entries), PLACE)

describe('an issue', () => {
  it('is begun by an ISSUE entry, and called by its issue_id, else by its msg_id', () => {
    const graph = derive({ body: '\n  \n First line \r\nsecond' }, issue('A'), { type: 'FACT', issue_id: 'B' })
    expect(graph).toMatchObject({ ...PLACE, cycles: [], unknown: [] })
    expect(graph.issues).toMatchObject([
      { id: 'M1', msg_id: 'M1', title: 'First line', status: 'open', state: 'ready' },
      { id: 'A', msg_id: 'M2', title: 'body 2', state: 'ready' },
    ])
    expect(graph.issues).toHaveLength(2)
  })

  it('has the status that the latest entry with its id says, whoever wrote it, and keeps its title', () => {
    const graph = derive(issue('A'), says('A', 'done'), { ...issue('A'), meta: { status: 'In progress' } })
    expect(graph.issues).toMatchObject([{ id: 'A', msg_id: 'M1', title: 'body 1', status: 'In progress' }])
    expect(graph.issues[0]).toMatchObject({ ts: '2026-01-15T09:00:00Z', updated_ts: '2026-01-15T09:00:02Z' })
  })

  it.each([
    'closed',
    'DONE',
    'Resolved',
    'fixed',
    'cancelled',
    'wontfix',
    'duplicate',
    'superseded',
    ' closed ',
  ])('is closed by the status %j', (status) => {
    expect(statesOf(derive(issue('A'), says('A', status)))).toEqual({ A: 'closed' })
    expect(statesOf(derive(issue('A'), says('A', status), says('A', 'reopened')))).toEqual({ A: 'ready' })
  })

  it('is left as it is by what is no status', () => {
    const odd = [null, '', '  ', ['done'], { is: 'done' }].map((status) => ({
      type: 'INFO',
      issue_id: 'A',
      meta: { status },
    }))
    expect(derive(issue('A'), ...odd).issues[0]).toMatchObject({ status: 'open', state: 'ready' })
  })

  it('may be named by the id of any of its entries', () => {
    expect(statesOf(derive(issue('A'), says('M1', 'done')))).toEqual({ A: 'closed' })
    expect(derive(issue('A'), says('A', 'new'), issue('B', parent('depends_on', 'M2'))).issues[1]).toMatchObject({
      depends_on: ['A'],
      blocked_by: ['A'],
    })
  })

  it('has a title of bounded length', () => {
    const title = derive({ body: `${'x'.repeat(198)}😀😀` }).issues[0]?.title
    expect(title).toHaveLength(199)
    expect(title?.isWellFormed()).toBe(true)
  })
})

describe('a dependency', () => {
  it('blocks until it is closed, whichever side names it and wherever in the log', () => {
    const entries = [
      issue('A', parent('depends_on', 'C')),
      issue('B', parent('blocked_by', 'C')),
      issue('C', parent('blocks', 'D')),
      issue('D'),
    ]
    expect(statesOf(derive(...entries))).toEqual({ A: 'blocked', B: 'blocked', C: 'ready', D: 'blocked' })
    const done = derive(...entries, says('C', 'done'))
    expect(statesOf(done)).toEqual({ A: 'ready', B: 'ready', C: 'closed', D: 'ready' })
    expect(done.issues[0]).toMatchObject({ depends_on: ['C'], blocked_by: [], relations: [] })
    expect(done.issues[2]).toMatchObject({ relations: [{ kind: 'blocks', id: 'D' }] })
  })

  it('may be added by any entry of the issue', () => {
    const later = { type: 'OBSERVATION', issue_id: 'A', parents: [parent('depends_on', 'B')] }
    expect(statesOf(derive(issue('A'), issue('B'), later))).toEqual({ A: 'blocked', B: 'ready' })
  })

  it('on what nobody knows blocks, and is named', () => {
    const graph = derive(issue('A', parent('depends_on', 'X'), parent('blocks', 'Y')))
    expect(graph).toMatchObject({ unknown: ['X'], issues: [{ state: 'blocked', blocked_by: ['X'] }] })
  })

  it('on an entry that is no issue blocks nothing', () => {
    const graph = derive({ type: 'FACT' }, issue('A', parent('depends_on', 'M1')))
    expect(graph).toMatchObject({ unknown: [], issues: [{ state: 'ready', depends_on: [] }] })
    expect(graph.issues[0]?.relations).toEqual([{ kind: 'depends_on', id: 'M1' }])
  })

  it('no longer blocks an issue that is closed', () => {
    const graph = derive(issue('A', parent('depends_on', 'B')), issue('B'), says('A', 'wontfix'))
    expect(graph.issues[0]).toMatchObject({ state: 'closed', depends_on: ['B'], blocked_by: [] })
  })
})

describe('a relation', () => {
  it.each([
    ['supersedes', 'superseded'],
    ['duplicates', 'duplicate'],
  ])('%s closes its target until somebody says otherwise', (kind, status) => {
    const entries = [issue('A'), says('A', 'started'), issue('B', parent(kind, 'M1'))]
    expect(derive(...entries).issues).toMatchObject([
      { id: 'A', state: 'closed', status, closed_by: 'B' },
      { id: 'B', state: 'ready', relations: [{ kind, id: 'A' }] },
    ])
    const [reopened] = derive(...entries, says('A', 'open')).issues
    expect(reopened).toMatchObject({ state: 'ready', status: 'open' })
    expect(reopened).not.toHaveProperty('closed_by')
  })

  it('supersedes does not close its own issue, and also counts from an entry that is no issue', () => {
    expect(statesOf(derive(issue('A', parent('supersedes', 'A'))))).toEqual({ A: 'ready' })
    const fact = { type: 'FACT', parents: [parent('supersedes', 'A')] }
    expect(derive(issue('A'), fact).issues).toMatchObject([{ state: 'closed', closed_by: 'M2' }])
  })

  it('of any other kind changes nothing, whatever it is called', () => {
    const kinds = ['child_of', 'relates_to', 'constructor', '__proto__', 'answers']
    const graph = derive(issue('A'), issue('B', ...kinds.map((kind) => parent(kind, 'A')), { msg_id: 'A' }))
    expect(statesOf(graph)).toEqual({ A: 'ready', B: 'ready' })
    expect(graph.issues[1]?.relations.map(({ kind }) => kind)).toEqual(kinds.slice(0, -1))
  })
})

describe('a circle', () => {
  it('is named, and blocks all of its issues', () => {
    const graph = derive(
      issue('A', parent('depends_on', 'B')),
      issue('B', parent('depends_on', 'C')),
      issue('C', parent('blocks', 'B'), parent('depends_on', 'A')),
      issue('D', parent('depends_on', 'D')),
    )
    expect(graph.cycles).toEqual([['A', 'B', 'C'], ['D']])
    expect(Object.values(statesOf(graph))).toEqual(['blocked', 'blocked', 'blocked', 'blocked'])
  })

  it('is broken by closing one of them', () => {
    const entries = [issue('A', parent('depends_on', 'B')), issue('B', parent('depends_on', 'A')), says('B', 'done')]
    expect(derive(...entries)).toMatchObject({ cycles: [], issues: [{ state: 'ready' }, { state: 'closed' }] })
  })

  it('of a hundred thousand issues is found', () => {
    const count = 100_000
    const log = createIssueLog()
    for (let at = 0; at < count; at++) {
      const [entry] = logOf({ msg_id: `M${at}`, ...issue(`I${at}`, parent('depends_on', `I${(at + 1) % count}`)) })
      if (entry) log.add(entry)
    }
    expect(log.graph(PLACE).cycles[0]).toHaveLength(count)
  })
})

describe('any log', () => {
  it('gives what the rules say, read one after the other', () => {
    for (let seed = 1; seed <= 3_000; seed++) {
      const log = randomLog(seed)
      expect(summaryOf(deriveIssues(log, PLACE)), `seed ${seed}`).toEqual(oracle(log))
    }
  })

  it('is told apart from one whose later entries are overlooked', () => {
    const broken = Array.from({ length: 300 }, (_, seed) => randomLog(seed + 1)).filter((log) => {
      const forgetful = log.filter(({ type }) => type === 'ISSUE')
      return JSON.stringify(summaryOf(deriveIssues(forgetful, PLACE))) !== JSON.stringify(oracle(log))
    })
    expect(broken.length).toBeGreaterThan(0)
  })
})

interface Summary {
  readonly states: readonly (readonly [id: string, state: string, status: string, blockers: string])[]
  readonly inCycles: readonly string[]
}

function summaryOf({ issues, cycles }: IssueGraph): Summary {
  return {
    states: issues.map(({ id, state, status, blocked_by }) => [id, state, status, blocked_by.toSorted().join()]),
    inCycles: cycles.flat().toSorted(),
  }
}

/** The rules, one sentence after the other, with no thought of speed. */
function oracle(log: readonly BusEntry[]): Summary {
  const closing = ['closed', 'done', 'superseded', 'duplicate']
  const ids = [...new Set(log.flatMap(({ type, issue_id, msg_id }) => (type === 'ISSUE' ? [issue_id ?? msg_id] : [])))]
  const ownName = (entry: BusEntry) => entry.issue_id ?? (entry.type === 'ISSUE' ? entry.msg_id : '')
  const find = (name: string): string | undefined => {
    if (ids.includes(name)) return name
    const entry = log.find(({ msg_id }) => msg_id === name)
    const owner = entry && ownName(entry)
    return owner !== undefined && ids.includes(owner) ? owner : undefined
  }
  const issueOf = (entry: BusEntry) => find(ownName(entry))
  const statusOf = (id: string) => {
    let status = 'open'
    for (const entry of log) {
      const said = entry.meta?.['status']
      if (issueOf(entry) === id && said !== undefined) status = String(said)
      for (const { kind, msg_id } of entry.parents ?? []) {
        if (find(msg_id) !== id || issueOf(entry) === id) continue
        if (kind === 'supersedes') status = 'superseded'
        if (kind === 'duplicates') status = 'duplicate'
      }
    }
    return status
  }
  const isOpen = (id: string) => !closing.includes(statusOf(id))
  const blockersOf = (id: string): string[] => {
    if (!isOpen(id)) return []
    const waits = log.flatMap((entry) =>
      (entry.parents ?? []).flatMap(({ kind, msg_id }) => {
        const [own, target] = [issueOf(entry), find(msg_id)]
        if (kind === 'blocks' && target === id && own !== undefined) return [own]
        if ((kind !== 'depends_on' && kind !== 'blocked_by') || own !== id) return []
        const isPlain = target === undefined && log.some((each) => each.msg_id === msg_id)
        return isPlain ? [] : [target ?? msg_id]
      }),
    )
    return [...new Set(waits)].filter((each) => !ids.includes(each) || isOpen(each)).toSorted()
  }
  const reaches = (from: string, to: string, seen = new Set<string>()): boolean =>
    blockersOf(from).some((each) => {
      if (each === to) return true
      if (seen.has(each) || !ids.includes(each)) return false
      return reaches(each, to, seen.add(each))
    })
  return {
    states: ids.map((id) => {
      const blockers = blockersOf(id)
      return [id, isOpen(id) ? (blockers.length > 0 ? 'blocked' : 'ready') : 'closed', statusOf(id), blockers.join()]
    }),
    inCycles: ids.filter((id) => reaches(id, id)).toSorted(),
  }
}

function randomLog(seed: number): BusEntry[] {
  let state = seed * 2_654_435_761
  const chance = () => {
    state = (Math.imul(state ^ (state >>> 15), 2_246_822_519) + 0x9e3779b9) >>> 0
    return state / 2 ** 32
  }
  const pick = <T>(...from: readonly T[]): T => from[Math.floor(chance() * from.length)] as T
  const length = 1 + Math.floor(chance() * 8)
  const entries = Array.from({ length }, (): Partial<BusEntry> => {
    const issue_id = pick(undefined, 'A', 'B', 'C', 'M2')
    const status = pick(undefined, undefined, 'done', 'closed', 'started')
    const kinds = ['depends_on', 'blocked_by', 'blocks', 'supersedes', 'duplicates', 'relates_to']
    const parents = Array.from({ length: Math.floor(chance() * 3) }, () =>
      parent(pick(...kinds), pick('A', 'B', 'C', 'M1', 'M3', 'M5', 'X')),
    )
    return {
      type: pick('ISSUE', 'ISSUE', 'FACT'),
      ...(issue_id !== undefined && { issue_id }),
      ...(status !== undefined && { meta: { status } }),
      parents,
    }
  })
  return logOf(...entries)
}
