import type { BusPage } from '../../model/bus/bus.ts'
import type { BusPlace } from '../../model/bus/entry.ts'
import type { Decision } from '../../model/decision.ts'
import type { Gate } from '../../model/gate.ts'
import type { GateInFull } from '../../model/gates.ts'
import type { InboxPage, ShownInFull } from '../../model/postern.ts'
import { token } from '../../render/provenance.ts'
import type { Quoted } from '../../render/quotation.ts'
import { quoteBusEntry, quoteDecision, quoteGate, quoteHeadline, quoteMessage } from '../../render/quoted.ts'
import { ask } from '../ask.ts'
import type { Connection } from '../connection.ts'
import { quote } from '../quote.ts'
import { formatUri, type Place } from './uri.ts'

/** More than this nobody reads at once. */
const ITEMS = 50
const TEXT = 'text/plain'

export interface Resource {
  readonly mimeType: string
  readonly text: string
}

/** What is to be seen at an address, as far as the agent may. Looking takes nothing. */
export async function readResource(connection: Connection, place: Place): Promise<Resource> {
  switch (place.kind) {
    case 'inbox':
      return readInbox(connection, place.id)
    case 'thread':
      return readThread(connection, place.id)
    case 'decision':
      return readDecision(connection, place.id)
    case 'gate':
      return readGate(connection, place.id)
    case 'bus':
      return readBus(connection, place.bus)
  }
}

async function readInbox(connection: Connection, agent: string): Promise<Resource> {
  const { items } = await ask<InboxPage>(connection, { name: 'inbox.list', input: { agent, limit: ITEMS } })
  const entries = items.map((message, at) => quoteHeadline(message, `${at + 1}/${items.length}`))
  return asText(connection, 'inbox preview', entries)
}

async function readThread(connection: Connection, id: string): Promise<Resource> {
  const { thread } = await ask<ShownInFull>(connection, { name: 'inbox.show', input: { id } })
  const last = thread.slice(-ITEMS)
  const entries = last.map((message, at) => quoteMessage(message, connection.agent, `${at + 1}/${last.length}`))
  return asText(connection, 'thread', entries)
}

async function readDecision(connection: Connection, id: string): Promise<Resource> {
  const decision = await ask<Decision>(connection, { name: 'decisions.show', input: { id } })
  return asText(connection, 'decision', [quoteDecision(decision)])
}

async function readGate(connection: Connection, id: string): Promise<Resource> {
  const { gate, steps } = await ask<GateInFull>(connection, { name: 'gates.show', input: { id } })
  return asText(connection, 'gate', [quoteGate(gate, steps)])
}

async function readBus(connection: Connection, bus: BusPlace): Promise<Resource> {
  const { items } = await ask<BusPage>(connection, { name: 'bus.read', input: { ...bus, tail: ITEMS } })
  const name = [bus.project_id, bus.task_id].filter((part) => part !== undefined).map(token)
  return asText(connection, `bus ${name.join('/')}`, items.map(quoteBusEntry))
}

async function asText(connection: Connection, what: string, entries: readonly Quoted[]): Promise<Resource> {
  return { mimeType: TEXT, text: await quote(connection, what, entries) }
}

export interface ListedResource {
  readonly uri: string
  readonly name: string
  readonly description: string
  readonly mimeType: string
}

/** What concerns the agent now: its inbox, the questions and gates that hold it, and the bus it works on. */
export async function listResources(connection: Connection): Promise<readonly ListedResource[]> {
  const { agent, places } = connection
  const input = { agent, limit: ITEMS }
  const decisions = await ask<readonly Decision[]>(connection, { name: 'decisions.list', input })
  const gates = await ask<readonly Gate[]>(connection, { name: 'gates.list', input })
  return [
    listed({ kind: 'inbox', id: agent }, `inbox of ${agent}`, 'What waits, without taking it.'),
    ...decisions.map(({ id }) => listed({ kind: 'decision', id }, `decision ${id}`, 'A question that is open.')),
    ...gates.map(({ id, mode }) => listed({ kind: 'gate', id }, `gate ${id}`, `A ${mode} gate that is open.`)),
    ...(places.bus === undefined ? [] : [busOf(places.bus)]),
  ]
}

function busOf({ project_id, task_id }: BusPlace): ListedResource {
  const bus = { project_id, ...(task_id !== undefined && { task_id }) }
  return listed({ kind: 'bus', bus }, `bus of ${task_id ?? project_id}`, 'The latest entries.')
}

function listed(place: Place, name: string, description: string): ListedResource {
  return { uri: formatUri(place), name, description, mimeType: TEXT }
}
