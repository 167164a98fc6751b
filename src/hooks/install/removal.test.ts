import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { casesOf } from '../../../test/helpers/property-cases.ts'
import { campaign } from '../../../test/helpers/tier.ts'
import { parseJsonc } from './jsonc.ts'
import { takeOut } from './removal.ts'
import { addHooks, isInstalled, listHooks, understand, type Wanted } from './settings.ts'
import { TARGETS } from './targets.ts'

const PATH = 'settings.json'
const HOME = '/home/me/.postern'
const server = { url: 'http://127.0.0.1:4747', token: 'pst_secret', tokenId: null }
/** As each host is installed: its name, and how it calls us where that is not by commands alone. */
const NAMES = [...TARGETS.map(({ host }) => host), 'claude-code http']
const wantedFor = (name: string, agent = 'quinn'): Wanted => {
  const [host, isHttp] = name.split(' ')
  const target = TARGETS.find((each) => each.host === host)!
  return { target, launcher: '$HOME/.postern/bin/hook', agent, home: HOME, ...(isHttp && { server }) }
}
const CLAUDE = wantedFor('claude-code')
const POSTING = wantedFor('claude-code http')
const unwanted = ({ target, home }: Wanted, agent?: string) => ({ target, home, agent })

/** Installs, lets somebody edit, and uninstalls. */
function roundTrip(text: string, wanted: Wanted, edit: (text: string) => string = (same) => same): string {
  const { text: installed, memory } = addHooks(text, PATH, wanted)
  return takeOut(edit(installed), PATH, unwanted(wanted), memory)
}

/** Settings as people write them: every layout, comments, commas behind the last, and hooks of others. */
const MARK = 'mark-of-a-foreign-value'

const blank = fc.stringMatching(/^(?:| {1,3}|\n|\r\n|\t|\n {2}| \/\*c*\*\/ |\/\/[a-z ,{}"]*\n|\n\n\t)$/)
const scalar = fc.oneof(
  fc.constantFrom(
    '1',
    '-2.5e3',
    'true',
    'null',
    '""',
    `"${MARK}"`,
    '"// no comment"',
    '"a\\"]},{"',
    '"$HOME/.postern/bin/hook"',
  ),
  fc.string().map((text) => JSON.stringify(text)),
)

function listOf(open: string, close: string, items: fc.Arbitrary<string>, maxLength: number): fc.Arbitrary<string> {
  const padded = fc.tuple(blank, items, blank).map((parts) => parts.join(''))
  return fc.tuple(fc.array(padded, { maxLength }), fc.boolean(), blank).map(([all, hasComma, rest]) => {
    return open + all.join(',') + (hasComma && all.length > 0 ? ',' : '') + rest + close
  })
}

const member = (key: fc.Arbitrary<string>, value: fc.Arbitrary<string>) =>
  fc.tuple(key, blank, blank, value).map(([name, before, after, text]) => `"${name}"${before}:${after}${text}`)

const handler = fc.constantFrom(
  '{"type":"command","command":"./mine.sh"}',
  '{ "type": "command", "command": "/other/bin/hook claude-code quinn" }',
  '{"command": "echo $HOME/.postern/bin/hook claude-code quinn full", "timeout": 5}',
  '{"type": "http", "url": "http://127.0.0.1:4747/mine.sh", "headers": {"Authorization": "Bearer theirs"}}',
  '{\n\t"type": "prompt", // theirs\n\t"prompt": "x"\n}',
  '{}',
  '7',
)
const group = listOf('{"matcher":"*","hooks":[', ']}', handler, 3)
const entries = listOf('[', ']', fc.oneof(group, handler), 3)
const events = fc.constantFrom('Stop', 'SessionStart', 'PreToolUse', 'AfterTool', 'stop', 'preToolUse', 'Other')
const hooks = listOf('{', '}', member(events, entries), 4)
const settings = fc
  .tuple(
    fc.constantFrom('', '\uFEFF'),
    blank,
    listOf(
      '{',
      '}',
      fc.oneof(
        { weight: 2, arbitrary: member(fc.constantFrom('model', 'version', 'a b', 'hooks2'), scalar) },
        { weight: 1, arbitrary: member(fc.constant('hooks'), hooks) },
      ),
      4,
    ),
    blank,
  )
  .map((parts) => parts.join(''))

const host = fc.constantFrom(...NAMES)

describe('installing and uninstalling', () => {
  campaign('leaves every byte of any settings file as it was', casesOf(2_000), async (numRuns) => {
    fc.assert(
      fc.property(settings, host, (text, name) => {
        expect(roundTrip(text, wantedFor(name))).toBe(text)
      }),
      { numRuns },
    )
  })

  campaign('keeps what somebody edited in between, and nothing of ours', casesOf(2_000), async (numRuns) => {
    const edits = fc.constantFrom(
      (text: string) => text.replaceAll(MARK, `another, longer ${MARK}`),
      (text: string) => text.replace(/^\uFEFF?/, '$&// a line of theirs\n'),
      (text: string) => `${text}\n// the end\n`,
    )
    fc.assert(
      fc.property(settings, host, edits, (text, name, edit) => {
        expect(roundTrip(text, wantedFor(name), edit)).toBe(edit(text))
      }),
      { numRuns },
    )
  })

  campaign('puts in exactly what is asked for, and finds it again', casesOf(500), async (numRuns) => {
    fc.assert(
      fc.property(settings, host, (text, name) => {
        const wanted = wantedFor(name)
        const { text: installed } = addHooks(text, PATH, wanted)
        expect(isInstalled(understand(installed, PATH), wanted)).toBe(true)
        expect(isInstalled(understand(text, PATH), wanted)).toBe(false)
        expect(isInstalled(understand(installed, PATH), wantedFor(name, 'mindy'))).toBe(false)
      }),
      { numRuns },
    )
  })

  campaign('takes ours out where nothing is remembered, and leaves what others have', casesOf(500), async (numRuns) => {
    fc.assert(
      fc.property(settings, host, (text, name) => {
        const wanted = wantedFor(name)
        const { text: installed } = addHooks(text, PATH, wanted)
        const rest = takeOut(installed, PATH, unwanted(wanted), undefined)
        expect(listHooks(understand(rest, PATH), wanted)).toEqual([])
        for (const foreign of ['mine.sh', '/other/bin/hook', 'echo $HOME', '"prompt"', MARK])
          expect(rest.split(foreign).length, foreign).toBe(text.split(foreign).length)
      }),
      { numRuns },
    )
  })

  it.each([
    ['nothing', ''],
    ['a line end', '\n'],
    ['a mark of byte order', '\uFEFF'],
    ['a comment without an end of line', '// mine'],
    ['an empty object', '{}'],
    ['an empty object over two lines', '{\r\n}\r\n'],
    ['empty hooks', '{"hooks":{}}'],
    ['an empty list', '{"hooks": {"Stop": []}}'],
    ['two hooks', '{"hooks": {"Stop": []}, "hooks": {"Stop": [ ] ,}}'],
    ['a comment behind the last', '{\n  "a": 1 // one\n}\n'],
  ])('leaves a file that holds %s as it was', (_, text) => {
    for (const name of NAMES) expect(roundTrip(text, wantedFor(name))).toBe(text)
  })

  it('takes out what was written over by a formatter', () => {
    const text = '{"model":"x","hooks":{"Stop":[{"hooks":[{"type":"command","command":"./mine.sh"}]}]}}'
    const format = (json: string) => JSON.stringify(JSON.parse(json), null, '\t')
    expect(roundTrip(text, CLAUDE, format)).toBe(format(text))
    expect(roundTrip('{}', CLAUDE, format)).toBe('{\n}')
    expect(roundTrip('', CLAUDE, format)).toBe('')
  })

  it('keeps what somebody put among ours', () => {
    const theirs = '{ "type": "command", "command": "./theirs.sh" }'
    const edit = (text: string) => text.replace('"Stop": [', `"Notification": [${theirs}],\n    "Stop": [${theirs},`)
    const rest = roundTrip('{}', CLAUDE, edit)
    expect(JSON.parse(rest)).toEqual({ hooks: { Notification: [JSON.parse(theirs)], Stop: [JSON.parse(theirs)] } })
    const within = roundTrip('{}', CLAUDE, (text) => text.replaceAll('"hooks": [', `"hooks": [${theirs},`))
    expect(within.match(/theirs/g)).toHaveLength(7)
    expect(within).not.toContain('postern')
    expect(() => JSON.parse(within)).not.toThrow()
  })

  it('removes the hooks of one agent and leaves those of another', () => {
    const { text: mindys } = addHooks('{}', PATH, wantedFor('claude-code', 'mindy'))
    const { text: both, memory } = addHooks(mindys, PATH, CLAUDE)
    expect(takeOut(both, PATH, unwanted(CLAUDE, 'quinn'), memory)).toBe(mindys)
    const agents = listHooks(understand(takeOut(both, PATH, unwanted(CLAUDE, 'mindy'), undefined), PATH), CLAUDE)
    expect(new Set(agents.map(({ agent }) => agent))).toEqual(new Set(['quinn']))
  })

  it('tells hooks that post from those that run a command, and by their server and token', () => {
    const { text } = addHooks('{}', PATH, POSTING)
    const isThere = (wanted: Wanted) => isInstalled(understand(text, PATH), wanted)
    expect(isThere(POSTING)).toBe(true)
    expect(isThere(CLAUDE)).toBe(false)
    expect(isThere({ ...POSTING, server: { ...server, url: 'http://127.0.0.1:4748' } })).toBe(false)
    expect(isThere({ ...POSTING, server: { ...server, token: 'pst_another' } })).toBe(false)
    const posting = listHooks(understand(text, PATH), POSTING).filter(({ token }) => token === server.token)
    expect(posting.map(({ event }) => event)).toEqual(['UserPromptSubmit', 'PostToolBatch'])
  })

  it('takes out hooks that post and were written over by a formatter', () => {
    const text = '{"hooks":{"PostToolBatch":[{"hooks":[{"type":"http","url":"http://127.0.0.1/mine"}]}]}}'
    const format = (json: string) => JSON.stringify(JSON.parse(json), null, '\t')
    expect(roundTrip(text, POSTING, format)).toBe(format(text))
  })

  it('leaves the hooks of another host alone', () => {
    const { text } = addHooks('{}', PATH, wantedFor('gemini'))
    expect(takeOut(text, PATH, unwanted(CLAUDE), undefined)).toBe(text)
  })

  it('would be caught if it left a byte behind', () => {
    const { text: installed, memory } = addHooks('{"a": 1}', PATH, CLAUDE)
    const forgetful = { ...memory, insertions: [], ends: {} }
    expect(takeOut(installed, PATH, unwanted(CLAUDE), forgetful)).not.toBe('{"a": 1}')
    expect(parseJsonc(installed)).toBeDefined()
  })
})
