import { isLedgerId } from '../../../model/ledger/topic.ts'
import { NODE_ACCOUNT, type ServeContext } from '../serve-context.ts'
import { notFound } from './errors.ts'
import { showAccount, showTopic, showTransaction } from './facts.ts'
import { invalid } from './filters.ts'
import { listMessages, showMessage, showMessageAt } from './messages.ts'

const ROOT = '/api/v1/'

/** Answers a path of a mirror's REST interface, or throws a RestError. */
export async function respond({ store }: ServeContext, url: URL): Promise<unknown> {
  if (!url.pathname.startsWith(ROOT)) throw notFound()
  const [room, id = '', part, ...rest] = url.pathname.slice(ROOT.length).replace(/\/$/, '').split('/')
  const shelves = store.read
  if (room === 'transactions' && part === undefined) return showTransaction(shelves, id)
  if (room === 'accounts' && part === undefined)
    return showAccount(shelves, parseEntity(id, 'idOrAliasOrEvmAddress'), store.now())
  if (room === 'network' && id === 'nodes' && part === undefined) return nodes()
  if (room !== 'topics') throw notFound()
  if (id === 'messages' && part !== undefined && rest.length === 0) return showMessageAt(shelves.ledger, part)
  const topicId = parseEntity(id, 'topic.id')
  if (part === undefined) return showTopic(shelves, topicId)
  if (part !== 'messages' || rest.length > 1) throw notFound()
  const [sequence] = rest
  return sequence === undefined
    ? listMessages(shelves.ledger, topicId, url)
    : showMessage(shelves.ledger, topicId, sequence)
}

/** The number alone is enough. */
function parseEntity(written: string, name: string): string {
  const id = /^\d+$/.test(written) ? `0.0.${BigInt(written)}` : written
  if (!isLedgerId(id)) throw invalid(name)
  return id
}

function nodes() {
  const description = 'Postern, a local ledger: no public consensus'
  return {
    nodes: [{ description, node_account_id: NODE_ACCOUNT, node_id: 0, service_endpoints: [] }],
    links: { next: null },
  }
}
