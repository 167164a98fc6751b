import './ledger.css'
import type { LedgerTopic } from '../../../../src/model/ledger/topic.ts'
import { postern } from '../../api/postern.ts'
import { useLive } from '../../live/use-live.ts'
import { Button, Chip, Empty } from '../../parts/bits.tsx'
import { countOf } from '../../parts/count.ts'
import { Icon } from '../../parts/icon.tsx'
import { ListPane, RowText } from '../../parts/list-pane.tsx'
import { ScreenHead } from '../../parts/screen-head.tsx'
import { Time } from '../../parts/time.tsx'
import { pathTo } from '../../router/route.ts'
import { route } from '../../router/router.ts'
import { nameOf } from '../../state/directory.ts'
import { TopicSheet } from './topic-sheet.tsx'
import { useVerifying, type Verdict } from './verifying.ts'

export function LedgerScreen() {
  const current = route.value.params['topic']
  const status = useLive({ key: 'ledger', load: () => postern.ledger.status(), on: ['message.created'] })
  const live = useLive({ key: 'topics', load: () => postern.ledger.topics({}), on: ['message.created', 'agent.*'] })
  const verifying = useVerifying()
  const topics = [...(live.value.value ?? [])].sort(byRole)
  const path = (id?: string) => pathTo('ledger', [id])
  const label = status.value.value?.ledger
  return (
    <>
      <ScreenHead
        title="Ledger"
        note={
          label &&
          `${label.kind === 'local' ? 'local, no public consensus' : label.network} · ${topics.length} topics · ${status.value.value?.waiting ?? 0} on their way`
        }
      >
        <Button
          icon="seal"
          disabled={topics.length === 0 || verifying.isBusy.value}
          onClick={() => void verifying.verifyAll(topics)}
        >
          Verify all
        </Button>
      </ScreenHead>
      {verifying.isBusy.value && <Progress done={verifying.done.value} total={verifying.total.value} />}
      <div class="panes" data-shows={current ? 'detail' : 'list'}>
        <section class="pane" aria-label="List of topics">
          <ListPane
            live={live}
            items={topics}
            label="Topics"
            current={current}
            idOf={({ id }) => id}
            path={path}
            row={(topic) => rowOf(topic, verifying.verdicts.value.get(topic.id))}
            empty={
              <Empty
                icon="ledger"
                title="No topics yet"
                commands={['postern ledger setup', 'postern message send quinn task.done "Done"']}
              >
                Messages on the record stand on topics, each entry chained to the one before it.
              </Empty>
            }
          />
        </section>
        <section class="pane" aria-label="Topic">
          {current ? (
            <TopicSheet key={current} id={current} back={path()} verifying={verifying} />
          ) : (
            <Empty icon="ledger" title="Choose a topic">
              Read its entries, verify its chain, or export a proof.
            </Empty>
          )}
        </section>
      </div>
    </>
  )
}

export function Progress({ done, total }: { readonly done: number; readonly total: number }) {
  return (
    <div class="progress">
      <progress max={Math.max(1, total)} value={done} aria-label="Entries verified" />
      <span role="status">
        {done.toLocaleString('en')} of {total.toLocaleString('en')} entries
      </span>
    </div>
  )
}

function rowOf(topic: LedgerTopic, verdict: Verdict | undefined) {
  const { id, sequence, trouble, consensusAt } = topic
  return (
    <RowText
      lead={<VerdictMark verdict={verdict} />}
      title={titleOf(topic)}
      end={consensusAt ? <Time at={Number(consensusAt.split('.')[0]) * 1_000} isShort /> : ''}
      note={`${id} · ${countOf(sequence, 'entry', 'entries')}`}
      more={trouble && <Chip tone="red">{trouble}</Chip>}
    />
  )
}

export function titleOf({ entity, agent, role }: LedgerTopic): string {
  return entity ?? (agent ? `${nameOf(agent)}, ${role}` : role)
}

/** What people look for first: work, then inboxes; files and definitions last. */
const ROLES: readonly string[] = ['work', 'inbound', 'outbound', 'connection', 'foreign', 'definitions', 'file']

function byRole(one: LedgerTopic, other: LedgerTopic): number {
  const isFilled = ({ sequence }: LedgerTopic) => Number(sequence > 0)
  return isFilled(other) - isFilled(one) || ROLES.indexOf(one.role) - ROLES.indexOf(other.role)
}

function VerdictMark({ verdict }: { readonly verdict: Verdict | undefined }) {
  if (!verdict) return <span class="verdict-mark" />
  return (
    <span class={`verdict-mark ${verdict.bad ? 'is-bad' : 'is-sound'}`}>
      <Icon name={verdict.bad ? 'warning' : 'check'} label={verdict.bad ? 'broken' : 'sound'} />
    </span>
  )
}
