import { useSignal, useSignalEffect } from '@preact/signals'
import { useLayoutEffect, useRef } from 'preact/hooks'
import type { SpaceMember, SpacePost } from '../../../../src/model/sources/space.ts'
import { postern } from '../../api/postern.ts'
import { useKeys } from '../../keys/keys.ts'
import { useLive } from '../../live/use-live.ts'
import { Button, Empty, IconButton, Loading, ProblemNote } from '../../parts/bits.tsx'
import { Markdown } from '../../parts/markdown.tsx'
import { Time } from '../../parts/time.tsx'
import { formatDay } from '../../parts/time-text.ts'
import { attempt } from '../../parts/toasts.tsx'
import { VirtualList } from '../../parts/virtual-list.tsx'
import { Avatar, Who } from '../../parts/who.tsx'
import { navigate } from '../../router/router.ts'
import { agentOf, nameOf } from '../../state/directory.ts'
import { readMessages } from '../../state/inbox.ts'
import { me } from '../../state/me.ts'
import { CONDITIONS, conditionOf } from '../agents/condition.ts'
import { usePosts } from './posts.ts'
import { Ticks } from './ticks.tsx'

interface ConversationProps {
  readonly id: string
  readonly back: string
}

const POST_HEIGHT = 76

export function Conversation({ id, back }: ConversationProps) {
  const space = useLive({
    key: id,
    load: () => postern.spaces.show({ id }),
    on: ({ type, subject }) => type.startsWith('space.') && subject === id,
  })
  const posts = usePosts(id)
  useSignalEffect(() => {
    if (!document.hidden) void readMessages(posts.items.value.map(({ messageId }) => messageId))
  })
  const found = space.value.value
  const problem = space.problem.value
  if (!found) return problem ? <ProblemNote problem={problem} onRetry={space.refresh} /> : <Loading what="the space" />
  const missing = posts.problem.value
  const isMember = found.members.some(({ agent }) => agent === me.value)
  const items = posts.items.value
  return (
    <article class="sheet" aria-label={found.name}>
      <header class="sheet-head">
        <span class="only-phone">
          <IconButton icon="back" label="Back to the list" onClick={() => navigate(back)} />
        </span>
        <h2># {found.name}</h2>
        <Members members={found.members} />
      </header>
      {missing && <ProblemNote problem={missing} onRetry={posts.retry} />}
      {!posts.isLoaded.value && !missing && <Loading what="what was said" />}
      {posts.isLoaded.value && items.length === 0 && <Empty icon="space" title="Nothing was said yet" />}
      {items.length > 0 && (
        <VirtualList
          class="posts"
          items={items}
          label={`What was said in ${found.name}`}
          role="log"
          isMeasured
          sticksToEnd
          keyOf={({ messageId }) => messageId}
          estimate={() => POST_HEIGHT}
          onBeginning={posts.loadEarlier}
          row={(post, at) => <Post post={post} before={items[at - 1]} all={items} />}
        />
      )}
      {found.closedAt !== null ? (
        <p class="post-note">This space is closed: it can be read, and nothing more.</p>
      ) : isMember ? (
        <PostForm id={id} name={found.name} />
      ) : (
        <div class="post-note">
          <span>Only members speak here.</span>
          <Button onClick={() => void attempt(() => postern.spaces.join({ id, agent: me.value }))}>Join</Button>
        </div>
      )}
    </article>
  )
}

function Members({ members }: { readonly members: readonly SpaceMember[] }) {
  return (
    <ul class="members" aria-label="Members">
      {members.slice(0, 8).map(({ agent }) => {
        const status = agentOf(agent)
        const condition = status ? conditionOf(status) : 'unknown'
        const words = status?.kind === 'human' ? 'person' : CONDITIONS[condition].words
        return (
          <li key={agent} class={`presence presence-${condition}`} title={`${nameOf(agent)}: ${words}`}>
            <Avatar id={agent} />
            <span class="hidden-text">
              {nameOf(agent)}, {words}
            </span>
          </li>
        )
      })}
      {members.length > 8 && <li class="faint">+{members.length - 8}</li>}
    </ul>
  )
}

const TOGETHER_MS = 5 * 60_000

interface PostProps {
  readonly post: SpacePost
  readonly before: SpacePost | undefined
  readonly all: readonly SpacePost[]
}

function Post({ post, before, all }: PostProps) {
  const { from, senderName, content, createdAt, replyTo, messageId, seq } = post
  const isNewDay = !before || new Date(before.createdAt).toDateString() !== new Date(createdAt).toDateString()
  const isOfSame = !isNewDay && before.from.id === from.id && createdAt - before.createdAt < TOGETHER_MS && !replyTo
  const answered = replyTo ? all.find((each) => each.messageId === replyTo) : undefined
  return (
    <>
      {isNewDay && <div class="post-day">{formatDay(createdAt)}</div>}
      <div class={`post ${isOfSame ? 'is-same' : ''}`} id={`post-${seq}`}>
        {isOfSame ? <span /> : <Avatar id={from.id} />}
        <div class="post-body">
          {!isOfSame && (
            <div class="post-head">
              <Who id={from.id} verified={from.verified} />
              {senderName !== nameOf(from.id) && senderName !== from.id && <span class="faint">then {senderName}</span>}
              <span class="faint">
                <Time at={createdAt} />
              </span>
            </div>
          )}
          {answered && (
            <p class="post-reply">
              {nameOf(answered.from.id)}: {answered.content.slice(0, 120)}
            </p>
          )}
          <Markdown text={content} />
          <Ticks messageId={messageId} />
        </div>
      </div>
    </>
  )
}

function PostForm({ id, name }: { readonly id: string; readonly name: string }) {
  const text = useSignal('')
  const isBusy = useSignal(false)
  const field = useRef<HTMLTextAreaElement>(null)
  async function say(): Promise<void> {
    const content = text.value
    if (content.trim() === '' || isBusy.value) return
    isBusy.value = true
    const posted = await attempt(() => postern.spaces.post({ id, content }))
    isBusy.value = false
    if (posted) text.value = ''
    field.current?.focus()
  }
  useKeys({
    title: 'Space',
    shortcuts: [{ keys: 'r', label: 'Say something', run: () => field.current?.focus() }],
  })
  useLayoutEffect(() => {
    if (matchMedia('(min-width: 721px)').matches) field.current?.focus({ preventScroll: true })
  }, [])
  return (
    <form
      class="post-form"
      onSubmit={(event) => {
        event.preventDefault()
        void say()
      }}
    >
      <textarea
        ref={field}
        rows={1}
        aria-label={`Say something in ${name}`}
        placeholder={`Say something in ${name}`}
        value={text.value}
        onInput={(event) => {
          text.value = event.currentTarget.value
        }}
        onKeyDown={(event) => {
          if (event.key === 'Escape') event.currentTarget.blur()
          if (event.key !== 'Enter' || event.shiftKey || event.isComposing) return
          event.preventDefault()
          void say()
        }}
      />
      <Button kind="primary" type="submit" disabled={isBusy.value} keys="Enter">
        Send
      </Button>
    </form>
  )
}
