import type { Postern } from '../../src/model/postern.ts'
import type { Scene } from './scene.ts'

export const BUS = { project_id: 'shop', task_id: 'checkout' } as const

/** Things of all kinds that concern quinn, and for every tool what it can be called with. */
export interface Things {
  readonly messageId: string
  readonly decisionId: string
  readonly gateId: string
  /** One that only people may open. */
  readonly strictGateId: string
  readonly inputs: Readonly<Record<string, Record<string, unknown>>>
}

export const quinnOf = ({ postern }: Scene): Postern =>
  postern.as({ id: 'quinn', kind: 'ai', verified: false, via: 'sdk' })
export const mindyOf = ({ postern }: Scene): Postern =>
  postern.as({ id: 'mindy', kind: 'ai', verified: true, via: 'sdk' })
export const justinOf = ({ postern }: Scene): Postern =>
  postern.as({ id: 'justin', kind: 'human', verified: true, via: 'sdk' })

/** Only once for a scene: a space has its name for good. */
export async function makeSpace(scene: Scene): Promise<void> {
  await justinOf(scene).spaces.create({ id: 'alpha', name: 'Alpha', members: ['quinn', 'mindy', 'justin'] })
  await mindyOf(scene).spaces.post({ id: 'alpha', content: 'Good morning.' })
}

export async function makeThings(scene: Scene): Promise<Things> {
  const [quinn, mindy, justin] = [quinnOf(scene), mindyOf(scene), justinOf(scene)]
  const { id: messageId } = await mindy.inbox.push({ to: ['quinn'], content: 'The build is green.', subject: 'Green' })
  const { id: decisionId } = await quinn.decisions.create({
    agent: 'quinn',
    question: 'Ship it?',
    options: [
      { key: 'yes', label: 'Yes' },
      { key: 'no', label: 'No' },
    ],
    ask: ['justin'],
  })
  const timer = { agent: 'quinn', kind: 'timer', afterMs: 3_600_000 } as const
  // An agent may not close its own strict gates.
  const { id: gateId } = await quinn.gates.create({ ...timer, mode: 'soft', reason: 'The deploy runs.' })
  const { id: strictGateId } = await justin.gates.create({ ...timer, reason: 'Look first.' })
  await mindy.bus.post({ ...BUS, type: 'FACT', body: 'It is open.' })
  await mindy.bus.post({ project_id: BUS.project_id, type: 'FACT', body: 'So is the project.' })
  const plan = { name: 'look', instruction: 'Look again.', runAfter: '5 hours' }
  return {
    messageId,
    decisionId,
    gateId,
    strictGateId,
    inputs: {
      inbox_check: { maxTokens: 1_000 },
      inbox_ack: { ids: [messageId] },
      message_read: { id: messageId },
      message_search: { query: 'green' },
      send_message: { to_agent: 'mindy', message_type: 'fyi', subject: 'Done', payload: { text: 'All of it.' } },
      post_note: { entity_id: 'SHOP-1', entity_type: 'task', note: 'Looks **good**.', notify: ['mindy'] },
      space_post: { id: 'alpha', content: 'Good morning too.' },
      agent_list: {},
      decision_create: { question: 'May I?', options: [{ key: 'yes', label: 'Yes' }], ask: ['justin'] },
      decision_get: { id: decisionId },
      gate_list: { all: true },
      gate_resolve: { id: gateId, reason: 'It is through.' },
      plan_set: plan,
      bus_post: { ...BUS, type: 'PROGRESS', body: 'Half of it.' },
      bus_read: { ...BUS },
      handoff_leave: { type: 'learning', text: 'Rotate the tokens.', project: scene.project },
      set_plans: { plans: [plan] },
      get_plans: { all: true },
      enter_space: { id: 'alpha' },
      read_messages: { id: 'alpha' },
      peek_inbox: {},
      delete_plans: { ids: ['look'] },
    },
  }
}
