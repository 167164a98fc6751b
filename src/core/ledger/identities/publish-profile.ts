import { type Agent, isAgentId } from '../../../model/agent.ts'
import { SYSTEM_CALLER } from '../../../model/caller.ts'
import { type AgentDefinition, createDefinition } from '../../../model/ledger/definition.ts'
import type { LedgerIdentity } from '../../../model/ledger/identity.ts'
import { DEFINITIONS_MEMO, formatProfileMemo } from '../../../model/ledger/memos.ts'
import { createProfile, PROFILE_MIME, PROFILE_VERSION, type Profile } from '../../../model/ledger/profile.ts'
import type { LedgerTopic } from '../../../model/ledger/topic.ts'
import { formatAccountKey } from '../../../model/ledger/topic-key.ts'
import type { Shelves } from '../../../store/store.ts'
import type { Ledgers, LedgerTx } from '../../context.ts'
import type { LedgerTopicDraft, Publication, PublicationOutcome } from '../publish.ts'
import { writeFile } from '../write-message.ts'

/** Setups and profiles are published one after the other, so that there is one definitions topic and no older profile wins. */
export const DEFINITIONS_LANE = 'definitions'

type Named = Pick<Agent, 'id' | 'kind' | 'displayName'>

/** The deployment itself, which is registered nowhere. */
const DEPLOYMENT: Named = { id: SYSTEM_CALLER.id, kind: 'service', displayName: 'Postern' }

export interface ProfileForms {
  readonly profile: Profile
  readonly definition: AgentDefinition
}

/** The profile and the definition of an agent, as the ledger has them. A removed agent keeps its profile. */
export async function profileForms(shelves: Shelves, identity: LedgerIdentity): Promise<ProfileForms> {
  const profile = createProfile(await namedAgent(shelves, identity.agent), identity)
  return { profile, definition: createDefinition(identity.agent, profile) }
}

export async function uaidOf({ codec }: Ledgers, shelves: Shelves, identity: LedgerIdentity): Promise<string> {
  const { network, account, inboundTopicId, capabilities, agent } = identity
  const { displayName: name } = await namedAgent(shelves, agent)
  return codec.uaid({ network, name, version: PROFILE_VERSION, account, inboundTopicId, capabilities })
}

async function namedAgent(shelves: Shelves, agent: string): Promise<Named> {
  return (isAgentId(agent) ? await shelves.agents.get(agent) : undefined) ?? { ...DEPLOYMENT, id: agent }
}

/** The profile as an HCS-1 file, the definition of the agent, and the memo of its account if no other agent shares it. */
export async function profilePublication(ltx: LedgerTx, identity: LedgerIdentity): Promise<Publication> {
  const { ledgers, tx } = ltx
  const { operator } = ledgers.ledger
  const { agent, account } = identity
  const { profile, definition } = await profileForms(tx, identity)
  const content = JSON.stringify(profile)
  const definitions = await definitionsTopic(ledgers, tx)
  return {
    purpose: 'profile',
    about: agent,
    lane: DEFINITIONS_LANE,
    payer: operator,
    message: null,
    async write(entryWriter) {
      const fileTopicId = await writeFile(ledgers, entryWriter, {
        agent,
        account: operator,
        mime: PROFILE_MIME,
        content,
      })
      const topicId = definitions?.id ?? (await entryWriter.createTopic(newDefinitionsTopic(ledgers)))
      await entryWriter.submit({ topicId, text: JSON.stringify(definition), mayChunk: true })
      if (account !== operator) await entryWriter.setAccountMemo({ account, memo: formatProfileMemo(fileTopicId) })
    },
  }
}

export async function definitionsTopic({ ledger }: Ledgers, shelves: Shelves): Promise<LedgerTopic | undefined> {
  const [topic] = await shelves.ledger.listTopics({ network: ledger.network, role: 'definitions' })
  return topic
}

export function newDefinitionsTopic({ ledger: { operator } }: Ledgers): LedgerTopicDraft {
  const key = formatAccountKey(operator)
  return {
    name: null,
    memo: DEFINITIONS_MEMO,
    adminKey: key,
    submitKey: key,
    role: 'definitions',
    agent: null,
    entity: null,
  }
}

/** The file that was published last is the agent's profile. */
export async function completeProfile({ ctx, ledgers, tx }: LedgerTx, outcome: PublicationOutcome): Promise<void> {
  // A transaction that changes the profile is committed by the time this one holds the counter.
  await tx.ledger.nextNumber()
  const { about, topics } = outcome
  const { network } = ledgers.ledger
  const identity = about === null ? undefined : await tx.ledger.identityOf({ network, agent: about })
  if (!identity || topics.file === undefined) return
  await tx.ledger.putIdentity({ ...identity, profileTopicId: topics.file, updatedAt: ctx.store.now() })
}
