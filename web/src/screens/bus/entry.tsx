import type { BusAttachment, BusEntry } from '../../../../src/model/bus/entry.ts'
import { meaningOf } from '../../../../src/model/bus/meaning.ts'
import { Json } from '../../parts/bits.tsx'
import { Icon } from '../../parts/icon.tsx'
import { Markdown } from '../../parts/markdown.tsx'
import { safeAddress } from '../../parts/markdown-parse.ts'
import { previewOf } from '../../parts/message-text.ts'
import { Time } from '../../parts/time.tsx'
import { formatBytes } from '../../parts/time-text.ts'
import { Who } from '../../parts/who.tsx'

interface EntryProps {
  readonly entry: BusEntry
  /** Where what it answers is looked for. */
  readonly parents: readonly BusEntry[]
  onIssue(id: string): void
}

/** Said by Postern itself, and shown elsewhere on the card. */
const OWN_META: readonly string[] = ['from', 'from_verified', 'status']

export function Entry({ entry, parents, onIssue }: EntryProps) {
  const { type, ts, body, meta = {}, issue_id, run_id, links = [], extra } = entry
  const from = typeof meta['from'] === 'string' ? meta['from'] : undefined
  const at = Date.parse(ts)
  const more = Object.fromEntries(Object.entries(meta).filter(([name]) => !OWN_META.includes(name)))
  const hasMore = Object.keys(more).length > 0 || extra !== undefined
  return (
    <section class={`entry ${entry.parents ? 'has-parents' : ''}`} aria-label={`${type} ${from ?? ''}`}>
      <header class="entry-head">
        <span class={`type-chip type-${meaningOf(type).toLowerCase()}`}>{type}</span>
        {from && <Who id={from} verified={meta['from_verified'] === true} />}
        {issue_id && (
          <button type="button" class="entry-issue" onClick={() => onIssue(issue_id)} title="Only this issue">
            {issue_id}
          </button>
        )}
        {typeof meta['status'] === 'string' && <span class="faint">{meta['status']}</span>}
        {run_id && <code class="faint">{run_id}</code>}
        <span class="entry-time">{Number.isNaN(at) ? ts : <Time at={at} />}</span>
      </header>
      {(entry.parents ?? []).map(({ msg_id, kind }) => (
        <Parent key={msg_id} id={msg_id} kind={kind} entries={parents} />
      ))}
      <Markdown text={body} />
      <Attachments entry={entry} />
      {links.length > 0 && (
        <ul class="entry-links">
          {links.map(({ kind, url, path }) => {
            const href = url === undefined ? undefined : safeAddress(url)
            return (
              <li key={`${kind}${url}${path}`}>
                <Icon name="link" size={12} /> {kind && <span class="faint">{kind}</span>}{' '}
                {href ? (
                  <a href={href} target="_blank" rel="noopener noreferrer nofollow">
                    {url}
                  </a>
                ) : (
                  <code>{path ?? url}</code>
                )}
              </li>
            )
          })}
        </ul>
      )}
      {hasMore && <Json value={extra ? { ...more, ...extra } : more} title="More" />}
    </section>
  )
}

interface ParentProps {
  readonly id: string
  readonly kind: string | undefined
  readonly entries: readonly BusEntry[]
}

function Parent({ id, kind, entries }: ParentProps) {
  const parent = entries.find(({ msg_id, issue_id, type }) => msg_id === id || (issue_id === id && type === 'ISSUE'))
  return (
    <p class="entry-parent">
      <span class="faint">{kind?.replaceAll('_', ' ') ?? 'after'}</span>{' '}
      {parent ? previewOf(parent.body).slice(0, 120) : <code>{id}</code>}
    </p>
  )
}

/** Attachments are named and never loaded: whatever is in them stays where it is. */
function Attachments({ entry }: { readonly entry: BusEntry }) {
  const { attachments = [], attachment_path } = entry
  const all: readonly BusAttachment[] = attachment_path ? [...attachments, { path: attachment_path }] : attachments
  if (all.length === 0) return null
  return (
    <ul class="entry-links">
      {all.map(({ path, label, mime, size_bytes }) => (
        <li key={path}>
          <Icon name="attach" size={12} /> <span>{label ?? path}</span> {label && <code class="faint">{path}</code>}{' '}
          <span class="faint">
            {mime} {size_bytes !== undefined && formatBytes(size_bytes)}
          </span>
        </li>
      ))}
    </ul>
  )
}
