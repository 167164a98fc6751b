import { useSignal } from '@preact/signals'
import type { TopicPage } from '../../../../src/model/ledger/ledgers.ts'
import { postern } from '../../api/postern.ts'
import { useKeys } from '../../keys/keys.ts'
import { useLive } from '../../live/use-live.ts'
import { Button, Chip, Facts, Loading, ProblemNote } from '../../parts/bits.tsx'
import { countOf } from '../../parts/count.ts'
import { Icon } from '../../parts/icon.tsx'
import { Block, Sheet } from '../../parts/sheet.tsx'
import { Time } from '../../parts/time.tsx'
import { attempt, toast } from '../../parts/toasts.tsx'
import { VirtualList } from '../../parts/virtual-list.tsx'
import { exportProof } from './export-proof.ts'
import { titleOf } from './ledger-screen.tsx'
import type { Verifying } from './verifying.ts'

interface TopicSheetProps {
  readonly id: string
  readonly back: string
  readonly verifying: Verifying
}

type Entry = TopicPage['entries'][number]

const PAGE = 500
const ENTRY_HEIGHT = 64
/** A short topic takes no more room than it needs, a long one scrolls. */
const FEW_PX = 150
const MOST_PX = 560

export function TopicSheet({ id, back, verifying }: TopicSheetProps) {
  const after = useSignal(0)
  const live = useLive({
    key: `${id} ${after.value}`,
    load: () => postern.ledger.read({ topic: id, limit: PAGE, ...(after.value > 0 && { after: after.value }) }),
    on: ['message.created'],
  })
  const page = live.value.value
  useKeys({
    title: 'Topic',
    shortcuts: [{ keys: 'y', label: 'Verify', run: () => page && void verifying.verifyAll([page.topic]) }],
  })
  const problem = live.problem.value
  if (!page) return problem ? <ProblemNote problem={problem} onRetry={live.refresh} /> : <Loading what="the topic" />
  const { topic, entries, next } = page
  const verdict = verifying.verdicts.value.get(id)

  async function download(): Promise<void> {
    const count = await attempt(() => exportProof(id))
    if (count !== undefined) toast(`Exported ${count} entries: check them with "postern ledger verify <file>"`)
  }

  return (
    <Sheet
      title={titleOf(topic)}
      back={back}
      actions={
        <>
          <Button icon="download" onClick={download}>
            Export
          </Button>
          <Button
            icon="seal"
            kind="primary"
            keys="y"
            disabled={verifying.isBusy.value}
            onClick={() => void verifying.verifyAll([topic])}
          >
            Verify
          </Button>
        </>
      }
    >
      {verdict && (
        <p class={`seal ${verdict.bad ? 'is-bad' : 'is-sound'}`} role="status">
          <Icon name={verdict.bad ? 'warning' : 'seal'} size={20} />
          {verdict.bad
            ? `The first bad entry is ${verdict.bad.sequence}: ${verdict.bad.reason}.`
            : `Sound: ${countOf(verdict.entries, 'entry', 'entries')}, all as they were written.`}
        </p>
      )}
      <Facts
        rows={[
          ['topic', <code key="id">{`${topic.id} (${topic.network})`}</code>],
          ['role', topic.role],
          ['memo', <code key="memo">{topic.memo}</code>],
          ['entries', topic.sequence],
          [
            'head',
            <code key="hash" class="hash">
              {topic.runningHash}
            </code>,
          ],
        ]}
      />
      <Block title="Entries">
        {entries.length === 0 ? (
          <p class="soft">Nothing stands on it yet.</p>
        ) : (
          <div class="ledger-entries" style={{ height: `${Math.min(MOST_PX, entries.length * FEW_PX)}px` }}>
            <VirtualList
              items={entries}
              label="Entries of the topic"
              role="list"
              isMeasured
              keyOf={({ sequence }) => String(sequence)}
              estimate={() => ENTRY_HEIGHT}
              row={(entry) => <EntryRow entry={entry} isBad={verdict?.bad?.sequence === entry.sequence} />}
            />
          </div>
        )}
        <div class="buttons">
          {after.value > 0 && (
            <Button
              onClick={() => {
                after.value = Math.max(0, after.value - PAGE)
              }}
            >
              Earlier
            </Button>
          )}
          {next !== null && (
            <Button
              onClick={() => {
                after.value = next
              }}
            >
              Later
            </Button>
          )}
        </div>
      </Block>
    </Sheet>
  )
}

function EntryRow({ entry, isBad }: { readonly entry: Entry; readonly isBad: boolean }) {
  const { sequence, consensusAt, payer, text, body, runningHash, chunk } = entry
  return (
    // biome-ignore lint/a11y/useSemanticElements: rows of a virtual list are no children of it
    <div class={`ledger-entry ${isBad ? 'is-bad' : ''}`} role="listitem">
      <span class="ledger-number">{sequence}</span>
      <div>
        <pre>{body ?? text ?? '(not text)'}</pre>
        <p class="faint">
          paid by {payer} · <Time at={Number(consensusAt.split('.')[0]) * 1_000} /> ·{' '}
          <code title={runningHash}>{runningHash.slice(0, 16)}…</code>
          {chunk && ` · part ${chunk.number} of ${chunk.total}`}
          {isBad && <Chip tone="red">bad</Chip>}
        </p>
      </div>
    </div>
  )
}
