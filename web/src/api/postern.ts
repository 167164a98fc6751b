import { repetitionOf } from '../../../src/client/repeats.ts'
import { bindNouns } from '../../../src/model/nouns.ts'
import { OPERATION_NAMES, OPERATIONS, type OperationName } from '../../../src/model/operations.ts'
import type { Postern } from '../../../src/model/postern.ts'
import { fillRoute, type Input, readAnswer, type Sending, send } from './request.ts'

/** Every operation of a Postern, asked for by the routes alone: the page needs neither schemas nor the table of errors. */
export type Rooms = Omit<Postern, 'caller' | 'as' | 'close'>

export async function call(name: OperationName, input: Input = {}, sending: Sending = {}): Promise<unknown> {
  const request = fillRoute(OPERATIONS[name].http[0], input)
  const { needsKey } = repetitionOf(name, request.method, input)
  const headers = needsKey ? { 'Idempotency-Key': crypto.randomUUID() } : {}
  return readAnswer(await send(request, { ...sending, headers: { ...headers, ...sending.headers } }))
}

function createRooms(): Rooms {
  return bindNouns(
    OPERATION_NAMES,
    (name) =>
      (input = {}) =>
        call(name, input),
  ) as unknown as Rooms
}

export const postern: Rooms = createRooms()
