import { isProgram } from '../../model/caller.ts'
import { PosternError } from '../../model/errors.ts'
import { CALLER_PATH } from '../../model/network/paths.ts'
import { toWire } from '../../model/network/wire-json.ts'
import { VERSION } from '../../model/version.ts'
import { jsonReply } from '../exchange.ts'
import type { Metrics, Present } from '../metrics.ts'
import { tokenIn } from '../request/authenticate.ts'
import type { Tickets } from '../request/tickets.ts'
import type { Endpoint } from './endpoint.ts'

/** What the endpoints about the server itself need. */
export interface Health {
  readonly tickets: Tickets
  readonly metrics: Metrics
  /** Resolves where the store can be read. */
  check(): Promise<void>
  present(): Promise<Present>
}

const METRICS_TYPE = 'text/plain; version=0.0.4; charset=utf-8'

export function healthEndpoints({ tickets, metrics, check, present }: Health): readonly Endpoint[] {
  return [
    { route: 'GET /healthz', name: 'healthz', isOpen: true, answer: async () => jsonReply(200, { ok: true }) },
    {
      route: 'GET /readyz',
      name: 'readyz',
      isOpen: true,
      async answer() {
        await check()
        return jsonReply(200, { ok: true })
      },
    },
    {
      route: 'GET /version',
      name: 'version',
      isOpen: true,
      answer: async () => jsonReply(200, { name: 'postern', version: VERSION }),
    },
    {
      route: 'GET /metrics',
      name: 'metrics',
      isOpen: false,
      async answer({ identity }) {
        if (identity.scope.kind !== 'admin' && isProgram(identity.caller)) {
          throw new PosternError('NOT_ALLOWED', {
            message: 'Only people and administrators may look at the metrics.',
            next: 'Use another token.',
          })
        }
        return { status: 200, body: metrics.format(await present()), type: METRICS_TYPE }
      },
    },
    {
      route: `GET ${CALLER_PATH}`,
      name: 'caller',
      isOpen: false,
      answer: async ({ identity: { caller } }) => jsonReply(200, { caller }),
    },
    {
      route: 'POST /api/v1/tickets',
      name: 'tickets',
      isOpen: false,
      async answer({ identity, request }) {
        const token = tokenIn(request)
        return jsonReply(201, toWire(tickets.issue({ identity, ...(token !== undefined && { token }) })))
      },
    },
  ]
}
