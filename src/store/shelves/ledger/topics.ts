import { PosternError } from '../../../model/errors.ts'
import type { LedgerTopic } from '../../../model/ledger/topic.ts'
import type { LedgerShelf } from '../../contract/ledger.ts'
import { LostRace, locking, type Sql, type SqlRow, type SqlValue } from '../../sql.ts'

type Topics = Pick<
  LedgerShelf,
  'nextNumber' | 'insertTopic' | 'getTopic' | 'lockTopic' | 'listTopics' | 'updateTopic' | 'setTakenIn' | 'setTrouble'
>

export function createTopics(sql: Sql): Topics {
  const select = async (rest: string, params: readonly SqlValue[]) =>
    (await sql.all(`SELECT ${COLUMNS} FROM ledger_topics WHERE ${rest}`, params)).map(readTopic)

  return {
    async nextNumber() {
      const row = await sql.get(`UPDATE counters SET value = value + 1 WHERE name = 'ledger_number' RETURNING value`)
      return Number(row?.[0])
    },

    async insertTopic(topic) {
      if ((await sql.run(INSERT, [...topicValues(topic), numberOf(topic.id)])) === 1) return
      const [known] = await select('id = ?1', [topic.id])
      if (known && known.network !== topic.network) throw strangeNetwork(topic, known)
      throw new LostRace('somebody else has put the topic there')
    },

    async getTopic({ id }) {
      return (await select('id = ?1', [id]))[0]
    },

    async lockTopic({ id }) {
      return (await select(`id = ?1 ${locking(sql, 'FOR UPDATE')}`, [id]))[0]
    },

    listTopics({ network, role, agent, entity }) {
      // Only what is asked for stands there, so that it is found by an index.
      const asked = Object.entries({ network, role, agent_id: agent, entity }).filter(
        ([, value]) => value !== undefined,
      )
      const isAsked = asked.map(([column], at) => `${column} = ?${at + 1}`).join(' AND ')
      return select(
        `${isAsked} ORDER BY num, id`,
        asked.map(([, value]) => value ?? ''),
      )
    },

    async updateTopic({ id, memo, adminKey, submitKey, deletedAt }) {
      await sql.run(
        'UPDATE ledger_topics SET memo = ?2, admin_key = ?3, submit_key = ?4, deleted_at = ?5 WHERE id = ?1',
        [id, memo, adminKey, submitKey, deletedAt],
      )
    },

    async setTakenIn({ topicId, sequence }) {
      await sql.run('UPDATE ledger_topics SET taken_in = ?2 WHERE id = ?1', [topicId, sequence])
    },

    async setTrouble({ topicId, trouble }) {
      await sql.run('UPDATE ledger_topics SET trouble = ?2 WHERE id = ?1', [topicId, trouble])
    },
  }
}

/** Ledgers count their topics each for itself, and entries know a topic by its number alone. */
function strangeNetwork({ id, network }: LedgerTopic, known: LedgerTopic): PosternError {
  const reason = `there is a topic ${id} of the ledger ${known.network} in this store already, so it needs a store of its own`
  return new PosternError('LEDGER_CONFIG_INVALID', { network, reason })
}

const COLUMNS = `id, network, role, agent_id, entity, memo, admin_key, submit_key, sequence, running_hash, consensus_at,
  taken_in, trouble, created_at, deleted_at`

const INSERT = `INSERT INTO ledger_topics (${COLUMNS}, num)
  VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13, ?14, ?15, ?16) ON CONFLICT (id) DO NOTHING`

function topicValues(topic: LedgerTopic): SqlValue[] {
  const { id, network, role, agent, entity, memo, adminKey, submitKey } = topic
  const { sequence, runningHash, consensusAt, takenIn, trouble, createdAt, deletedAt } = topic
  return [
    ...[id, network, role, agent, entity, memo, adminKey, submitKey],
    ...[sequence, runningHash, consensusAt, takenIn, trouble, createdAt, deletedAt],
  ]
}

function readTopic(row: SqlRow): LedgerTopic {
  const [id, network, role, agent, entity, memo, adminKey, submitKey] = row
  const [sequence, runningHash, consensusAt, takenIn, trouble, createdAt, deletedAt] = row.slice(8)
  const what = { id, network, role, agent, entity, memo, adminKey, submitKey }
  return { ...what, sequence, runningHash, consensusAt, takenIn, trouble, createdAt, deletedAt }
}

function numberOf(id: string): number {
  return Number(id.slice(id.lastIndexOf('.') + 1))
}
