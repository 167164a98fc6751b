import { isAgentId } from '../../model/agent.ts'

/** Where a server takes the events of hosts. */
export const HOOKS_PATH = '/api/v1/hooks'

/** An entry by which a host posts its events to a server instead of running a command. */
export interface Posting {
  readonly url: string
  readonly host: string
  readonly agent: string
  readonly token: string
}

export interface PostTo {
  /** Where the server listens, such as `http://127.0.0.1:4747`. */
  readonly server: string
  readonly host: string
  readonly agent: string
}

export function formatPostUrl({ server, host, agent }: PostTo): string {
  return `${server}${HOOKS_PATH}/${host}?agent=${agent}`
}

export function formatAuthorization(token: string): string {
  return `Bearer ${token}`
}

const URL = /^https?:\/\/[^\s/?#]+\/api\/v1\/hooks\/([a-z-]+)\?agent=([a-z0-9_-]+)$/

/** Reads an entry of ours; undefined where it is somebody else's. */
export function parsePosting(url: unknown, authorization: unknown): Posting | undefined {
  if (typeof url !== 'string') return undefined
  const [, host = '', agent = ''] = URL.exec(url) ?? []
  const [, token = ''] = /^Bearer (\S+)$/.exec(typeof authorization === 'string' ? authorization : '') ?? []
  return isAgentId(agent) ? { url, host, agent, token } : undefined
}
