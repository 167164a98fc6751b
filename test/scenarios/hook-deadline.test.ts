import { expect, it } from 'vitest'
import { HOOK_TIMEOUTS } from '../../src/hooks/timeouts.ts'
import { fire, makePlace } from '../faults/harness/hook.ts'
import { DEAD_MACHINE_MS } from '../helpers/patience.ts'

/** Has a hook begin so late that nothing of its own deadline is left. */
const LATE = ['sh', '-c', `sleep ${HOOK_TIMEOUTS.answerMs / 1000}; exec "$@"`, 'sh']
const HEARD = {
  event: 'prompt.submit',
  command: `echo '{"context":"the command was heard"}'`,
  timeoutMs: DEAD_MACHINE_MS,
}

it('runs no command of the user in a hook whose deadline has passed', async () => {
  const place = await makePlace({ hooks: [HEARD] })
  const fired = await fire(place, 'UserPromptSubmit', { wrap: LATE, hasDeadline: true })
  expect([fired.code, fired.context]).toEqual([0, ''])
})

it('is never late in a test whose subject is not the deadline', async () => {
  const place = await makePlace({ hooks: [HEARD] })
  expect((await fire(place, 'UserPromptSubmit', { wrap: LATE })).context).toContain('the command was heard')
  // The second time it runs from the cache of compiled code.
  expect((await fire(place, 'UserPromptSubmit', { wrap: LATE })).context).toContain('the command was heard')
})
