import { expect, it } from 'vitest'
import { HOOK_TIMEOUTS } from '../../src/hooks/timeouts.ts'
import { fire, makePlace } from '../faults/harness/hook.ts'
import { DEAD_MACHINE_MS } from '../helpers/patience.ts'
import { FULL } from '../helpers/tier.ts'

/** Starts a hook so late that its own deadline has passed. */
const LATE = ['sh', '-c', `sleep ${HOOK_TIMEOUTS.answerMs / 1000}; exec "$@"`, 'sh']
const HEARD = {
  event: 'prompt.submit',
  command: `echo '{"context":"the command was heard"}'`,
  timeoutMs: DEAD_MACHINE_MS,
}

it('runs no user command in a hook whose deadline has passed', async () => {
  const place = await makePlace({ hooks: [HEARD] })
  const fired = await fire(place, 'UserPromptSubmit', { wrap: LATE, hasDeadline: true })
  expect([fired.code, fired.context]).toEqual([0, ''])
})

it('runs user commands in a late hook if the test gives it a minute', FULL, async () => {
  const place = await makePlace({ hooks: [HEARD] })
  expect((await fire(place, 'UserPromptSubmit', { wrap: LATE })).context).toContain('the command was heard')
  // The second time it runs from the cache of compiled code.
  expect((await fire(place, 'UserPromptSubmit', { wrap: LATE })).context).toContain('the command was heard')
})
