import { postern } from '../../api/postern.ts'
import { useKeys } from '../../keys/keys.ts'
import { useLive } from '../../live/use-live.ts'
import { Button, Chip, Command, Facts, Loading, ProblemNote } from '../../parts/bits.tsx'
import { countOf } from '../../parts/count.ts'
import { Markdown } from '../../parts/markdown.tsx'
import { toneOfState } from '../../parts/message-text.ts'
import { Block, Sheet } from '../../parts/sheet.tsx'
import { Time } from '../../parts/time.tsx'
import { attempt, toast } from '../../parts/toasts.tsx'
import { Who } from '../../parts/who.tsx'
import { pathTo } from '../../router/route.ts'

interface PlanSheetProps {
  readonly id: string
  readonly back: string
}

const MISSED = {
  once: 'the latest of them fires',
  skip: 'none of them fires',
  all: 'each of them fires',
} as const

export function PlanSheet({ id, back }: PlanSheetProps) {
  const live = useLive({
    key: id,
    load: () => postern.plans.show({ id }),
    on: ({ type, subject }) => (type.startsWith('plan.') && subject === id) || type.startsWith('delivery.'),
  })
  const plan = live.value.value

  async function togglePause(): Promise<void> {
    if (!plan) return
    const how = plan.pausedAt === null ? 'pause' : 'resume'
    const done = await attempt(() => postern.plans[how]({ id }))
    if (done) toast(how === 'pause' ? 'Paused' : 'It goes on', () => void undo(how))
    live.refresh()
  }

  async function undo(how: 'pause' | 'resume'): Promise<void> {
    await attempt(() => postern.plans[how === 'pause' ? 'resume' : 'pause']({ id }))
    live.refresh()
  }

  async function run(): Promise<void> {
    const fired = await attempt(() => postern.plans.run({ id }))
    if (fired) toast('Fired: its message is on its way')
    live.refresh()
  }

  useKeys({
    title: 'Plan',
    shortcuts: [
      { keys: 'p', label: 'Pause, or go on', run: () => void togglePause() },
      { keys: 'R', label: 'Run now', run: () => void run() },
    ],
  })
  const problem = live.problem.value
  if (!plan) return problem ? <ProblemNote problem={problem} onRetry={live.refresh} /> : <Loading what="the plan" />
  const { name, agent, instruction, cron, zone, missed, gateId, pausedAt, upcomingAt, lastFired, lastRunAt, runs } =
    plan
  return (
    <Sheet
      title={name}
      back={back}
      actions={
        <>
          <Button icon={pausedAt === null ? 'pause' : 'play'} keys="p" onClick={togglePause}>
            {pausedAt === null ? 'Pause' : 'Resume'}
          </Button>
          <Button icon="play" kind="primary" onClick={run}>
            Run now
          </Button>
        </>
      }
    >
      <Block title="What the agent is told">
        <div class="quote">
          <Markdown text={instruction} />
        </div>
      </Block>
      <Block title="When">
        <Facts
          rows={[
            ['agent', <Who key="agent" id={agent} />],
            ['rhythm', cron ? <code key="cron">{cron}</code> : 'once'],
            ...(cron ? [['zone', zone] as const, ['missed', MISSED[missed]] as const] : []),
            ...(gateId
              ? [
                  [
                    'only after',
                    <a key="gate" href={pathTo('gates', [gateId])}>
                      its gate
                    </a>,
                  ] as const,
                ]
              : []),
            ['has run', countOf(runs, 'time')],
          ]}
        />
      </Block>
      <Block title="Next">
        {pausedAt !== null && (
          <p>
            <Chip tone="amber">paused</Chip> <Time at={pausedAt} />: what would have come meanwhile never fires.
          </p>
        )}
        {pausedAt === null && upcomingAt.length === 0 && <p class="soft">It fires no more by itself.</p>}
        {pausedAt === null && (
          <ol class="fires">
            {upcomingAt.map((at) => (
              <li key={at}>
                <span>{inZone(at, zone)}</span>
                <span class="faint">
                  <Time at={at} />
                </span>
              </li>
            ))}
          </ol>
        )}
      </Block>
      <Block title="Last result">
        {lastFired ? (
          <p>
            Fired <Time at={lastFired.at} />: its message is{' '}
            <Chip tone={toneOfState(lastFired.state)}>{lastFired.state}</Chip>{' '}
            <a href={pathTo('trace', [lastFired.messageId])}>Trace</a>
          </p>
        ) : (
          <p class="soft">{lastRunAt === null ? 'It has not fired yet.' : <Time at={lastRunAt} />}</p>
        )}
      </Block>
      <Command text={`postern plan show ${id}`} />
    </Sheet>
  )
}

function inZone(at: number, zone: string): string {
  const format = { dateStyle: 'medium', timeStyle: 'short', timeZone: zone } as const
  return `${new Intl.DateTimeFormat('en-GB', format).format(at)} ${zone}`
}
