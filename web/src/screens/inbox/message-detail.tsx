import { useEffect } from 'preact/hooks'
import type { Attachment, Message, Sender } from '../../../../src/model/message.ts'
import { PRIORITIES } from '../../../../src/model/priority.ts'
import { postern } from '../../api/postern.ts'
import { useLive } from '../../live/use-live.ts'
import { Button, Chip, Facts, IconButton, Json, Loading, NotAuthenticated, ProblemNote } from '../../parts/bits.tsx'
import { Icon } from '../../parts/icon.tsx'
import { Markdown } from '../../parts/markdown.tsx'
import { safeAddress } from '../../parts/markdown-parse.ts'
import { headlineOf, toneOfType } from '../../parts/message-text.ts'
import { Time } from '../../parts/time.tsx'
import { formatBytes } from '../../parts/time-text.ts'
import { Avatar, Who } from '../../parts/who.tsx'
import { pathTo } from '../../router/route.ts'
import { goTo } from '../../router/router.ts'
import { inboxMessage, readMessages } from '../../state/inbox.ts'
import { decisionOf } from '../../state/inbox-groups.ts'
import { DecisionPanel } from '../decisions/decision-panel.tsx'
import { Reply } from './reply.tsx'

interface MessageDetailProps {
  readonly id: string
  readonly isReplying: boolean
  onReply(isReplying: boolean): void
  onDone(): void
  onSnooze(): void
  /** Where it is snoozed: back at once. */
  onWake?: (() => void) | undefined
}

/** So long must something have been looked at before it counts as read. */
const DWELL_MS = 700

export function MessageDetail({ id, isReplying, onReply, onDone, onSnooze, onWake }: MessageDetailProps) {
  const shown = useLive({ key: id, load: () => postern.inbox.show({ id }), on: ['message.created'] })
  useEffect(() => {
    const timer = setTimeout(() => void readMessages([id]), DWELL_MS)
    return () => clearTimeout(timer)
  }, [id])
  const problem = shown.problem.value
  if (problem && !shown.value.value) return <ProblemNote problem={problem} onRetry={shown.refresh} />
  const { message, thread } = shown.value.value ?? {}
  if (!message || !thread) return <Loading what="the message" />
  const decision = decisionOf(message)
  const isMine = inboxMessage(id) !== undefined
  return (
    <article class="detail" aria-label={headlineOf(message)}>
      <header class="detail-head">
        <span class="only-phone">
          <IconButton icon="back" label="Back to the list" onClick={() => goTo('inbox')} />
        </span>
        <h2>{headlineOf(message)}</h2>
        <div class="detail-actions">
          {isMine && (
            <>
              <Button icon="check" keys="e" onClick={onDone}>
                Done
              </Button>
              <Button icon="clock" keys="s" onClick={onSnooze}>
                Snooze
              </Button>
            </>
          )}
          {onWake && (
            <Button icon="inbox" onClick={onWake}>
              Back to the inbox
            </Button>
          )}
          <Button icon="reply" keys="r" onClick={() => onReply(!isReplying)}>
            Reply
          </Button>
        </div>
      </header>
      <div class="scroll detail-scroll">
        {decision ? (
          <DecisionPanel id={decision} messageId={id} />
        ) : (
          thread.map((each) => <Letter key={each.id} message={each} isShown={each.id === id} />)
        )}
        {isReplying && <Reply to={message} onClose={() => onReply(false)} />}
      </div>
    </article>
  )
}

const GATE_ID = /\bgate_[0-9A-Z]{26}\b/

function Letter({ message, isShown }: { readonly message: Message; readonly isShown: boolean }) {
  const {
    id,
    from,
    to,
    type,
    priority,
    content,
    createdAt,
    ref,
    payload,
    context,
    attachments,
    expiresAt,
    authenticated,
  } = message
  // Notices of gates name them in what they carry, or only in their words.
  const gate = type === 'gate' || type === 'system' ? GATE_ID.exec(content)?.[0] : undefined
  return (
    <section class={`letter ${isShown ? 'is-shown' : ''}`} aria-label={`From ${from.id}`}>
      <header class="letter-head">
        <Avatar id={from.id} />
        <Who id={from.id} verified={from.verified} />
        <span class="faint">to {to.join(', ')}</span>
        {authenticated === false && <NotAuthenticated />}
        <span class="letter-time">
          <Time at={createdAt} />
        </span>
      </header>
      <div class="letter-body">
        <Markdown text={content} />
        {(message.quotes ?? []).map(({ what, from: author, text }) => (
          <Quoted key={what} what={what} author={author} text={text} />
        ))}
        <Attachments attachments={attachments} />
        {payload !== null && <Json value={payload} title="Payload" />}
        {context !== null && <Json value={context} title="Context" />}
        {isShown && (
          <div class="letter-foot">
            <Chip tone={toneOfType(type)}>{type}</Chip>
            {priority !== 2 && <Chip tone={priority < 2 ? 'red' : 'plain'}>{PRIORITIES[priority]}</Chip>}
            {gate && <Ref text={`gate:${gate}`} />}
            {ref && <Ref text={ref} />}
            {expiresAt !== null && (
              <span class="faint">
                expires <Time at={expiresAt} />
              </span>
            )}
            <a href={pathTo('trace', [id])}>Trace</a>
          </div>
        )}
      </div>
    </section>
  )
}

/** Words of another author, under their name: text, and no Markdown. */
function Quoted({ what, author, text }: { readonly what: string; readonly author: Sender; readonly text: string }) {
  return (
    <figure class="quoted" aria-label={`${what}, from ${author.id}`}>
      <figcaption class="faint">
        {what}, from <Who id={author.id} verified={author.verified} />
      </figcaption>
      <blockquote>{text}</blockquote>
    </figure>
  )
}

/** Files stay where they are: only their names are shown, and links that lead out only where a browser runs nothing. */
function Attachments({ attachments }: { readonly attachments: readonly Attachment[] }) {
  if (attachments.length === 0) return null
  return (
    <ul class="attachments">
      {attachments.map(({ name, path, url, bytes, sha256 }) => {
        const href = url === undefined ? undefined : safeAddress(url)
        return (
          <li key={sha256 + name}>
            <Icon name="attach" />
            {href ? (
              <a href={href} target="_blank" rel="noopener noreferrer nofollow">
                {name}
              </a>
            ) : (
              <span>{name}</span>
            )}
            <span class="faint">{formatBytes(bytes)}</span>
            <details class="attachment-more">
              <summary>where</summary>
              <Facts
                rows={[
                  ['place', <code key="place">{path ?? url ?? 'not said'}</code>],
                  ['sha256', <code key="sha">{sha256}</code>],
                ]}
              />
            </details>
          </li>
        )
      })}
    </ul>
  )
}

const REF_SCREENS = { gate: 'gates', decision: 'decisions', plan: 'plans', message: 'trace' } as const

/** What a message is about; what has a screen of its own leads there. */
function Ref({ text }: { readonly text: string }) {
  const [kind = '', id] = text.split(':')
  const screen = REF_SCREENS[kind as keyof typeof REF_SCREENS]
  return screen && id ? <a href={pathTo(screen, [id])}>Open the {kind}</a> : <Chip>{text}</Chip>
}
