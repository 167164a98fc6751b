import { HOOKS_PATH } from '../../hooks/install/posting.ts'
import type { PostedHooks } from '../../hooks/posted.ts'
import { PosternError } from '../../model/errors.ts'
import type { Identity } from '../../model/network/tokens.ts'
import { JSON_TYPE } from '../exchange.ts'
import { readText } from '../request/body.ts'
import type { Endpoint } from './endpoint.ts'

/** An event holds what tools have answered, so it may be far larger than anything that we would store. */
const EVENT_BYTES = 8 * 1024 * 1024

/** Where hosts post their events. */
export function hookEndpoints(hooks: PostedHooks): readonly Endpoint[] {
  return [
    {
      route: `POST ${HOOKS_PATH}/:host`,
      name: 'hooks',
      isOpen: false,
      async answer({ identity, query, request, response }, { host = '' }) {
        const agent = agentOf(identity, query.get('agent') ?? undefined)
        const read = () => readText(request, response, EVENT_BYTES)
        const { body, settle } = await hooks.answer({ host, agent, read })
        return { status: 200, body, type: JSON_TYPE, onSettled: settle }
      },
    },
  ]
}

/** An agent has its own session's mail alone; an administrator says whose session it is. */
function agentOf({ scope, caller }: Identity, named: string | undefined): string | undefined {
  if (scope.kind === 'admin') return named
  if (scope.kind === 'agent' && (named ?? caller.id) === caller.id) return caller.id
  throw new PosternError('NOT_ALLOWED', {
    message: 'Only an agent and administrators may post the events of its session.',
    next: 'Use a token of that agent: "postern init --http" makes one.',
  })
}
