import { Chip } from '../../parts/bits.tsx'
import { Icon } from '../../parts/icon.tsx'
import { headlineOf, previewOf, toneOfType } from '../../parts/message-text.ts'
import { Time } from '../../parts/time.tsx'
import { VirtualList } from '../../parts/virtual-list.tsx'
import { Avatar } from '../../parts/who.tsx'
import { nameOf } from '../../state/directory.ts'
import { isUnread } from '../../state/inbox.ts'
import { HEAD_HEIGHT, type InboxRow, ROW_HEIGHT } from './inbox-rows.ts'

interface InboxListProps {
  readonly rows: readonly InboxRow[]
  readonly current: string | undefined
  readonly selected: ReadonlySet<string>
  onOpen(id: string): void
  onSelect(id: string): void
}

export function InboxList({ rows, current, selected, onOpen, onSelect }: InboxListProps) {
  return (
    <VirtualList
      class="inbox-list"
      items={rows}
      label="Messages"
      role="listbox"
      isMultiple
      keyOf={({ key }) => key}
      estimate={({ kind }) => (kind === 'head' ? HEAD_HEIGHT : ROW_HEIGHT)}
      current={current}
      row={(row) =>
        row.kind === 'head' ? (
          <div class="inbox-head" role="presentation">
            {row.title} <span>{row.count}</span>
          </div>
        ) : (
          <Row
            row={row}
            isCurrent={row.key === current}
            isSelected={selected.has(row.key)}
            onOpen={onOpen}
            onSelect={onSelect}
          />
        )
      }
    />
  )
}

interface RowProps {
  readonly row: Extract<InboxRow, { kind: 'message' }>
  readonly isCurrent: boolean
  readonly isSelected: boolean
  onOpen(id: string): void
  onSelect(id: string): void
}

function Row({ row: { message }, isCurrent, isSelected, onOpen, onSelect }: RowProps) {
  const { id, from, subject, content, type, priority, createdAt, attachments, snoozedUntilAt } = message
  const unread = isUnread(message)
  return (
    // biome-ignore lint/a11y/useKeyWithClickEvents: keys are heard by the screen
    <div
      id={`row-${id}`}
      class={`inbox-row ${isCurrent ? 'is-current' : ''} ${isSelected ? 'is-selected' : ''} ${unread ? 'is-unread' : ''}`}
      role="option"
      tabIndex={-1}
      aria-selected={isSelected || isCurrent}
      onClick={(event) => (event.shiftKey || event.metaKey || event.ctrlKey ? onSelect(id) : onOpen(id))}
    >
      {/* biome-ignore lint/a11y/useKeyWithClickEvents: x does the same */}
      {/* biome-ignore lint/a11y/noStaticElementInteractions: the row is the option; this is its mark for the mouse */}
      <span
        class="inbox-mark"
        title="Select (x)"
        onClick={(event) => {
          event.stopPropagation()
          onSelect(id)
        }}
      >
        {isSelected ? <Icon name="check" size={13} /> : <Avatar id={from.id} />}
      </span>
      <span class="inbox-line">
        <span class="hidden-text">
          {unread ? 'Unread. ' : ''}
          {isSelected ? 'Selected. ' : ''}
        </span>
        <span class="inbox-from">{nameOf(from.id)}</span>
        {priority < 2 && <Chip tone="red">{priority === 0 ? 'critical' : 'high'}</Chip>}
        {type !== 'mail' && type !== 'agent' && <Chip tone={toneOfType(type)}>{type.replace('_', ' ')}</Chip>}
        {snoozedUntilAt ? (
          <Chip tone="violet">
            back <Time at={snoozedUntilAt} />
          </Chip>
        ) : null}
        {attachments.length > 0 && <Icon name="attach" label="has attachments" size={12} />}
        <span class="inbox-time">
          <Time at={createdAt} isShort />
        </span>
      </span>
      <span class="inbox-line">
        <span class="inbox-subject">{headlineOf(message)}</span>
        {subject && <span class="inbox-preview">{previewOf(content)}</span>}
      </span>
    </div>
  )
}
