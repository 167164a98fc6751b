import { expect, it } from 'vitest'
import { verifies } from '../scenarios/verifies.ts'
import { createGate, deliveryOf, fire, makePlace, passesTold, push } from './harness/hook.ts'

const ROBIN = { agent: 'robin' }

it('shows an agent its mail in a session that its host resumes for it, and leaves the session with its agent', async () => {
  verifies('G4.hook.agent')
  const place = await makePlace()
  await fire(place, 'SessionStart', { fields: { source: 'startup' } })
  const [own, other] = [await push(place, 'for quinn'), await push(place, 'for robin', { to: ['robin'] })]
  const begun = await fire(place, 'SessionStart', { ...ROBIN, fields: { source: 'resume' } })
  expect(begun.context).toContain('for robin')
  expect(begun.context).not.toContain('for quinn')
  expect(begun.notice).toContain('belongs to the agent quinn')
  await fire(place, 'UserPromptSubmit', ROBIN)
  expect(await deliveryOf(place, other, 'robin')).toMatchObject({ state: 'seen' })
  expect((await fire(place, 'UserPromptSubmit')).context).toContain('for quinn')
  expect(await deliveryOf(place, own)).toMatchObject({ state: 'offered' })
})

it('shows an agent its mail in the session of another, and says once why it has no session', async () => {
  verifies('G4.hook.agent')
  const place = await makePlace()
  await fire(place, 'UserPromptSubmit')
  const shown = []
  for (const content of ['one', 'two']) {
    const id = await push(place, content, { to: ['robin'] })
    shown.push(await fire(place, 'UserPromptSubmit', ROBIN))
    expect(await deliveryOf(place, id, 'robin')).toMatchObject({ state: 'seen' })
  }
  expect(shown.map(({ context }) => /one|two/.exec(context)?.[0])).toEqual(['one', 'two'])
  expect(shown.map(({ notice }) => notice.includes('belongs to the agent quinn'))).toEqual([true, false])
})

it('judges and counts the strict gate of an agent in the session of another, and tells of its pass', async () => {
  verifies('G8.refused-session')
  const place = await makePlace()
  const gate = await createGate(place, { agent: 'robin' })
  await fire(place, 'UserPromptSubmit')
  const stops = []
  for (let at = 0; at < 6; at++) stops.push(await fire(place, 'Stop', ROBIN))
  expect(stops.map(({ block }) => block.includes('wait for justin'))).toEqual([true, true, true, true, true, false])
  expect(stops.map(({ stdout }) => stdout).join('')).not.toContain('cannot read its store')
  expect(await passesTold(place)).toEqual([expect.stringMatching(new RegExp(`${gate}.*breached.*5 times in a row`))])
})
