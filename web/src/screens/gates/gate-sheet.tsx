import { useSignal } from '@preact/signals'
import { useRef } from 'preact/hooks'
import type { Gate, GateStep } from '../../../../src/model/gate.ts'
import { postern } from '../../api/postern.ts'
import { useKeys } from '../../keys/keys.ts'
import { useLive } from '../../live/use-live.ts'
import { Button, Chip, Command, Facts, Loading, ProblemNote } from '../../parts/bits.tsx'
import { Block, Sheet } from '../../parts/sheet.tsx'
import { Time } from '../../parts/time.tsx'
import { formatSpan } from '../../parts/time-text.ts'
import { attempt, toast } from '../../parts/toasts.tsx'
import { Who } from '../../parts/who.tsx'
import { pathTo } from '../../router/route.ts'
import { nameOf } from '../../state/directory.ts'
import { GATE_TONES, shortReason, WAITS_FOR } from './gates-screen.tsx'

interface GateSheetProps {
  readonly id: string
  readonly back: string
}

export function GateSheet({ id, back }: GateSheetProps) {
  const live = useLive({
    key: id,
    load: () => postern.gates.show({ id }),
    on: ({ type, subject }) => type.startsWith('gate.') && subject === id,
  })
  const found = live.value.value
  const problem = live.problem.value
  if (!found) return problem ? <ProblemNote problem={problem} onRetry={live.refresh} /> : <Loading what="the gate" />
  const { gate, steps } = found
  const canClose = gate.state === 'open' || gate.state === 'breached'
  return (
    <Sheet
      title={`Gate of ${nameOf(gate.agent)}`}
      back={back}
      actions={<Chip tone={GATE_TONES[gate.state]}>{gate.state}</Chip>}
    >
      <Block title="Why">
        <p class="gate-reason">{shortReason(gate.reason)}</p>
        {gate.state === 'breached' && (
          <p class="gate-breach">
            It was passed although nobody granted it. It holds no more; resolve or waive it to say what became of it.
          </p>
        )}
        {gate.closedReason && gate.state !== 'open' && (
          <p class="soft">
            {gate.state} by <Who id={gate.closedBy ?? 'system'} />: {gate.closedReason}
          </p>
        )}
      </Block>
      {gate.kind === 'decision' && gate.awaits && gate.state === 'open' ? (
        <p>
          It opens with the answer: <a href={pathTo('decisions', [gate.awaits])}>answer the question</a>.
        </p>
      ) : (
        canClose && <CloseGate gate={gate} onDone={live.refresh} />
      )}
      <Block title="What it is">
        <Facts rows={factsOf(gate)} />
      </Block>
      <Block title="What happened at it">
        <ol class="timeline">
          {steps.map((step) => (
            <Step key={`${step.at}${step.step}${step.by}`} step={step} />
          ))}
        </ol>
      </Block>
      <Command text={`postern gate show ${gate.id}`} />
    </Sheet>
  )
}

function factsOf(gate: Gate): [string, preact.ComponentChildren][] {
  const { agent, kind, mode, hook, tool, awaits, untilAt, dueAt, waiters, createdBy, createdAt } = gate
  return [
    ['holds', <Who key="agent" id={agent} />],
    ['waits for', awaitsOf(kind, awaits)],
    ['at', hook === 'stop' ? 'the end of its turn' : `the use of ${tool ?? 'any tool'}`],
    ['mode', mode === 'strict' ? 'strict: it holds' : 'soft: it warns once'],
    ...(untilAt === null ? [] : [['timer', <Time key="until" at={untilAt} />] as [string, preact.ComponentChildren]]),
    ...(dueAt === null ? [] : [['expires', <Time key="due" at={dueAt} />] as [string, preact.ComponentChildren]]),
    ...(gate.remindEveryMs === null
      ? []
      : [['reminds', `every ${formatSpan(gate.remindEveryMs)}`] as [string, string]]),
    ...(gate.escalateTo === null ? [] : [['escalates to', nameOf(gate.escalateTo)] as [string, string]]),
    ...(waiters.length === 0 ? [] : [['tells too', waiters.map(nameOf).join(', ')] as [string, string]]),
    [
      'made by',
      <>
        <Who id={createdBy} /> <Time at={createdAt} />
      </>,
    ],
  ]
}

function awaitsOf(kind: Gate['kind'], awaits: string | null): preact.ComponentChildren {
  const words = WAITS_FOR[kind]
  if (awaits === null) return words
  const screen = { message: 'trace', decision: 'decisions', gate: 'gates' } as const
  const target = screen[kind as keyof typeof screen]
  return (
    <>
      {words}: {target ? <a href={pathTo(target, [awaits])}>{awaits}</a> : <code>{awaits}</code>}
    </>
  )
}

const GOOD: readonly string[] = ['resolved', 'waived']
const BAD: readonly string[] = ['breached', 'bypassed', 'expired']

function Step({ step: { step, at, by, evidence, times = 1 } }: { readonly step: GateStep }) {
  const mark = GOOD.includes(step) ? 'is-good' : BAD.includes(step) ? 'is-bad' : ''
  return (
    <li>
      <span class={`timeline-dot ${mark}`} />
      <div class="timeline-line">
        <strong>{step}</strong>
        <span class="soft">
          by {nameOf(by)}
          {times > 1 && `, the last of ${times} further ones`}
        </span>
        <span class="timeline-time">
          <Time at={at} />
        </span>
        {evidence && <span class="timeline-more soft">{evidence}</span>}
      </div>
    </li>
  )
}

function CloseGate({ gate, onDone }: { readonly gate: Gate; onDone(): void }) {
  const reason = useSignal('')
  const isBusy = useSignal(false)
  const field = useRef<HTMLInputElement>(null)

  async function close(how: 'resolve' | 'waive'): Promise<void> {
    if (isBusy.value) return
    if (reason.value.trim() === '') {
      field.current?.focus()
      return
    }
    isBusy.value = true
    const closed = await attempt(() => postern.gates[how]({ id: gate.id, reason: reason.value.trim() }))
    isBusy.value = false
    if (!closed) return
    toast(`Gate ${closed.state}: ${nameOf(gate.agent)} is told`)
    onDone()
  }

  useKeys({
    title: 'Gate',
    shortcuts: [
      { keys: 'r', label: 'Write the reason', run: () => field.current?.focus() },
      { keys: 'mod+Enter', label: 'Resolve', run: () => void close('resolve'), whileTyping: true },
    ],
  })

  return (
    <form
      class="close-gate"
      onSubmit={(event) => {
        event.preventDefault()
        void close('resolve')
      }}
    >
      <label class="field">
        <span>Your reason, which {nameOf(gate.agent)} is told</span>
        <input
          ref={field}
          type="text"
          value={reason.value}
          placeholder="Why it may go on"
          onInput={(event) => {
            reason.value = event.currentTarget.value
          }}
        />
      </label>
      <div class="buttons">
        <Button kind="primary" type="submit" keys="mod+Enter" disabled={isBusy.value} title="The condition is met">
          Resolve
        </Button>
        <Button
          onClick={() => void close('waive')}
          disabled={isBusy.value}
          title="It may go on although the condition is not met"
        >
          Waive
        </Button>
      </div>
    </form>
  )
}
