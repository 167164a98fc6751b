import { expect, it } from 'vitest'
import { SYSTEM_CALLER } from '../../../src/model/caller.ts'
import { postern } from '../../helpers/command.ts'
import { needsPrograms } from '../../helpers/needs.ts'
import { posternOnTerminal } from '../../helpers/pseudo-terminal.ts'
import { campaign, FULL, TIER } from '../../helpers/tier.ts'
import { verifies } from '../verifies.ts'
import { findUnplanted, NEVER_SHOWN } from './declared-fields.ts'
import { readAsModels } from './models.ts'
import { createOracle, type Finding, type Output, type Verdict } from './oracle.ts'
import { readAsPeople } from './people.ts'
import { DRAIN_READER, MCP_READER, MORTA, openScene, type Scene } from './scene.ts'
import { plantEverything } from './writers.ts'

/** A case is a hostile text in one field that is seen in one output. A scene has about six thousand. */
const CASES = { quick: 1_000, full: 25_000, long: 500_000, most: 50_000 }

/** Fields that take single words alone. Their refusals are outputs too. */
const WORDS_ONLY = [
  'agents.add id id',
  'bus.post attachment_path attachment_path',
  'bus.post issue_id issue_id',
  'bus.post link url url',
  'bus.post run_id run_id',
  'bus.post type type',
  'decisions.create key key',
  'decisions.create key label',
  'decisions.respond refused select',
  'gates.create escalateTo escalateTo',
  'gates.create escalateTo waiters',
  'gates.mark name name',
  'gates.passed names names',
  'gates.register name name',
  'gates.register name reason',
  'handoff.leave priority priority',
  'handoff.leave type type',
  'handoff.writeOut kind kind',
  'handoff.writeOut text',
  'handoff.writeOut topic',
  'inbox.push to to',
  'inbox.push type type',
  'ledger.connect inbound_topic_id',
  'ledger.emit type type',
  'messages.send type message_type',
  'services.create name name',
  'sessions.begin host host',
  'sessions.begin id id',
]

/** No remote caller may say on which machine a session runs. */
const ALWAYS_REFUSED = ['sessions.begin machine machine', 'sessions.note machine machine']

/** `npm test` repeats the same scenes, the other tiers play new ones. */
let seed = TIER === 'quick' ? 1 : Date.now() % 1_000_000

campaign(
  'shows words of others on quoted lines below the name of their author, in every output',
  CASES,
  async (most) => {
    verifies('G14.voice', 'G14.fence', 'G14.terminal')
    const accepted = new Set<string>()
    const seen = new Set<string>()
    const fields = new Set<string>()
    for (let cases = 0; cases < most; ) {
      const verdict = await play(++seed, async (scene) => {
        for (const { field } of scene.planted) fields.add(field)
        for (const field of scene.accepted) accepted.add(field)
        return (await judgeOf(scene))(await readEverything(scene))
      })
      expect(summarise(verdict.findings), `seed ${seed}`).toEqual([])
      expect(verdict.cases).toBeGreaterThan(1_000)
      for (const field of verdict.fields) seen.add(field)
      cases += verdict.cases
    }
    expect([...accepted].filter((field) => !seen.has(field) && !(field in NEVER_SHOWN))).toEqual([])
    // A name takes one text in several, so that a single scene may have none of it.
    if (TIER === 'quick') return
    const excused = [...WORDS_ONLY, ...ALWAYS_REFUSED]
    expect([...fields].filter((field) => !accepted.has(field) && !excused.includes(field))).toEqual([])
  },
)

it('plants hostile text into every declared text field, or lists why not', async () => {
  verifies('G14.voice')
  const planted = await play(++seed, async (scene) => scene.planted.map(({ field }) => field))
  expect(findUnplanted(planted)).toEqual([])
  expect(findUnplanted(planted.filter((field) => !field.startsWith('gates.waive')))).toEqual(['gates.waive reason'])
})

/** Each does to an output what a door with a hole would have done. */
const HOLES: Readonly<Record<string, (output: Output, scene: Scene) => string>> = {
  'a line that is not quoted': ({ text, form }) => (form === 'fence' ? text.replaceAll('\n│ ', '\n') : text),
  'a line that is not quoted on a terminal': ({ text, form }) =>
    form === 'terminal' ? text.replaceAll('\n│ ', '\n') : text,
  'a quotation outside of its fence': ({ text }) => text.replace(/^┌.*$/m, ''),
  'words under the name of another': ({ text }) => text.replaceAll('from morta (', 'from petra ('),
  'words under the name of the system': ({ text }) =>
    text.replaceAll(/from \S+ \([^)]*\)/g, 'from system (system, verified)'),
  'a name without its doubt': ({ text, form }) => (form === 'fence' ? text.replaceAll('unverified', 'verified') : text),
  'a tag of a host': ({ text, form }) => (form === 'fence' ? text.replaceAll('\\u{3c}', '<') : text),
  'a tag of a host in a value': ({ text, form }) => (form === 'values' ? text.replaceAll('\\\\u{3c}', '<') : text),
  'a control character': ({ text, form }) => (form === 'terminal' ? text.replaceAll('\\u{1b}', '\x1b') : text),
  'a raw control character in JSON': ({ text, form }) => (form === 'escaped' ? JSON.stringify(JSON.parse(text)) : text),
  'a fence that stays open': ({ text }) => text.replace(/^└── end.*$/m, ''),
  'a second line in a row': ({ text, name }) => (name === 'inbox list (pipe)' ? text.replaceAll('\\n', '\n') : text),
  'a message of two lines': ({ text, form }) => (form === 'lines' ? text.replaceAll('\\n', '\n') : text),
  'the words of others in a refusal': ({ text, form }, { planted }) =>
    form === 'refusal' ? `${text} ${planted.find(({ field }) => field === 'spaces.post content')?.marker}` : text,
}

/** So many damaged outputs show whether a hole is found. */
const DAMAGED = 60

it('finds a planted hole in an output, and one in the core', FULL, async () => {
  await play(++seed, async (scene) => {
    await scene.attempt(MORTA, 'planted notice', (plant) =>
      scene.as(SYSTEM_CALLER).inbox.push({ to: [MCP_READER, DRAIN_READER], content: plant('content') }),
    )
    const judge = await judgeOf(scene)
    const outputs = await readEverything(scene)
    const isPlanted = ({ field }: Finding) => field === 'planted notice content'
    const found = judge(outputs).findings.filter(isPlanted)
    expect(found.map(({ output }) => output)).toEqual(
      expect.arrayContaining(['MCP inbox_check', 'MCP message_read', 'inbox drain (pipe)']),
    )
    const missed = Object.entries(HOLES).filter(([, damage]) => {
      const damaged = outputs.flatMap((output) => {
        const text = damage(output, scene)
        return text === output.text ? [] : [{ ...output, text }]
      })
      return judge(damaged.slice(0, DAMAGED)).findings.every(isPlanted)
    })
    expect(missed.map(([name]) => name)).toEqual([])
  })
})

it('holds for the executable on a pipe and on a terminal', needsPrograms('script'), async () => {
  verifies('G14.voice')
  const scene = await openScene(++seed)
  await plantEverything(scene)
  const [decision] = await scene.postern.decisions.list({ agent: MCP_READER })
  const [gate] = await scene.postern.gates.list({ agent: MCP_READER })
  const judge = await judgeOf(scene)
  await scene.close()
  const commands = [
    ['inbox', 'drain', '--agent', MCP_READER],
    ['inbox', 'list', '--agent', MCP_READER],
    ['gate', 'show', gate?.id ?? ''],
    ['decision', 'show', decision?.id ?? ''],
    ['bus', 'read', '--project', 'shop'],
    ['handoff', 'inherit', '--peek', '--project', scene.project],
    ['events', '--latest', '100'],
  ]
  const outputs: Output[] = []
  for (const words of commands) {
    const piped = await postern({ home: scene.home }, ...words)
    const { rows } = await posternOnTerminal({ home: scene.home }, 80, ...words)
    const name = words.slice(0, 2).join(' ')
    outputs.push({ name: `${name} (pipe)`, form: 'terminal', text: piped.stdout })
    outputs.push({ name: `${name} (terminal)`, form: 'terminal', text: rows.join('\n') })
  }
  const { findings, cases } = judge(outputs)
  expect(summarise(findings)).toEqual([])
  expect(cases).toBeGreaterThan(50)
  scene.remove()
})

async function play<T>(number: number, act: (scene: Scene) => Promise<T>): Promise<T> {
  const scene = await openScene(number)
  try {
    await plantEverything(scene)
    return await act(scene)
  } finally {
    await scene.close()
    scene.remove()
  }
}

async function readEverything(scene: Scene): Promise<readonly Output[]> {
  return [...(await readAsModels(scene)), ...(await readAsPeople(scene))]
}

type Judge = (outputs: readonly Output[]) => Verdict

async function judgeOf(scene: Scene): Promise<Judge> {
  return createOracle(scene.planted, await scene.ours())
}

/** One line for each kind of finding, so that a failure can be read. */
function summarise(findings: readonly Finding[]): readonly string[] {
  const kinds = Map.groupBy(findings, ({ output, field, what }) => `${output} · ${field} · ${what.slice(0, 20)}`)
  return [...kinds.values()].map((all) => {
    const [{ output, field, what, line }] = all as [Finding]
    return `${all.length} × ${output} · ${field}: ${what} · ${line}`
  })
}
