import { answering, type UnaryHandler } from '../protocol/grpc-server.ts'
import { Query, Response } from '../protocol/queries.ts'
import { NODE_CALLS } from '../protocol/services.ts'
import { TransactionResponse } from '../protocol/transactions.ts'
import { answerQuery } from './queries.ts'
import type { ServeContext } from './serve-context.ts'
import { submitTransaction } from './submit.ts'
import { createAccount, updateAccount } from './transactions/accounts.ts'
import type { Handler } from './transactions/handler.ts'
import { submitMessage } from './transactions/messages.ts'
import { createTopic, deleteTopic, updateTopic } from './transactions/topics.ts'

/** The calls of a consensus node. */
export function nodeCalls(context: ServeContext): Readonly<Record<string, UnaryHandler>> {
  const taking =
    (handler: Handler): UnaryHandler =>
    async (bytes) =>
      TransactionResponse.encode({ precheck: await submitTransaction(context, handler, bytes) })
  const asking = answering(Query, Response, (query) => answerQuery(context, query))
  return {
    [NODE_CALLS.createTopic]: taking(createTopic),
    [NODE_CALLS.updateTopic]: taking(updateTopic),
    [NODE_CALLS.deleteTopic]: taking(deleteTopic),
    [NODE_CALLS.submitMessage]: taking(submitMessage),
    [NODE_CALLS.createAccount]: taking(createAccount),
    [NODE_CALLS.updateAccount]: taking(updateAccount),
    [NODE_CALLS.getTopicInfo]: asking,
    [NODE_CALLS.getBalance]: asking,
    [NODE_CALLS.getAccountInfo]: asking,
    [NODE_CALLS.getRecord]: asking,
    [NODE_CALLS.getReceipts]: asking,
  }
}
