import { ENTRY_STREAMS } from '../../model/network/paths.ts'
import type { ApiOperation, ApiParameter } from './openapi.ts'

const text = { type: 'string' } as const

/** What stands beside a list of entries. */
export const ENTRY_LIST_HEADERS = {
  'X-Postern-Cursor': { description: 'Pass it as after to go on; absent where the bus has no entry.', schema: text },
  Link: { description: 'The next page, as rel="next"; absent where there is no more.', schema: text },
  'X-Postern-Faults': { description: 'How many parts of the file could not be read, if any.', schema: text },
} as const

const LAST_ID: ApiParameter = {
  name: 'Last-Event-ID',
  in: 'header',
  required: false,
  description: 'The id of the last event; counts more than after.',
  schema: text,
}

const UNPAGED: readonly string[] = ['limit']

/** What reading a bus takes, and how it refuses. */
type DescribeReading = (
  method: string,
  path: string,
) => { readonly parameters: readonly ApiParameter[]; readonly problems: ApiOperation['responses'] }

/** The streams of entries, which take what reading takes and never end by themselves. */
export function describeStreams(
  describe: DescribeReading,
): Readonly<Record<string, Readonly<Record<string, ApiOperation>>>> {
  return Object.fromEntries(
    ENTRY_STREAMS.map((route, at) => {
      const [method = '', path = ''] = route.split(' ')
      const { parameters, problems } = describe(method, path)
      const described: ApiOperation = {
        operationId: at === 0 ? 'bus.stream' : `bus.stream.${at + 1}`,
        summary: 'Follow entries of a bus: from now on, the last so many, or after one.',
        description: 'Events: message with the entry as its data, heartbeat every 30 s, gap where some may be missed.',
        tags: ['bus'],
        parameters: [...parameters.filter(({ name }) => !UNPAGED.includes(name)), LAST_ID],
        responses: {
          200: { description: 'The stream.', content: { 'text/event-stream': { schema: text } } },
          ...problems,
        },
        security: [{ token: [] }, { ticket: [] }],
      }
      return [path.replace(/:(\w+)/g, '{$1}'), { get: described }]
    }),
  )
}
