import { expect, it } from 'vitest'
import { describeProbe } from './doctor-hosts.ts'

const HOOK = { host: 'claude-code', path: '/settings.json', agent: 'quinn' }
const ANSWER = { output: '{"postern":{"agent":"quinn","fault":null}}', exitCode: 0, tookMs: 40.4 }

it('says for whom a hook answers and how fast, and warns of one that is slower than its own deadline', () => {
  expect(describeProbe(HOOK, ANSWER)).toMatchObject({
    name: 'host.claude-code',
    ok: true,
    detail: 'answers for quinn in 40 ms (/settings.json)',
  })
  expect(describeProbe(HOOK, { ...ANSWER, tookMs: 1_500 })).toMatchObject({ ok: true })
  expect(describeProbe(HOOK, { ...ANSWER, tookMs: 1_501 })).toMatchObject({
    ok: false,
    detail: 'answers for quinn in 1501 ms (/settings.json)',
    next: expect.stringContaining('see whether the machine or the store is busy'),
  })
})

it('says what is wrong with a hook that does not work', () => {
  const fault = '{"postern":{"agent":"quinn","fault":"there is no such agent"}}'
  expect(describeProbe(HOOK, { ...ANSWER, output: fault })).toMatchObject({
    ok: false,
    detail: expect.stringContaining('there is no such agent'),
    next: expect.stringContaining('postern init --host claude-code --agent quinn'),
  })
  expect(describeProbe(HOOK, { ...ANSWER, output: '', exitCode: null })).toMatchObject({
    ok: false,
    detail: expect.stringContaining('it did not answer (exit none)'),
  })
})
