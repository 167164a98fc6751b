import './doctor.css'
import type { HealthCheck } from '../../../../src/model/postern.ts'
import { postern } from '../../api/postern.ts'
import { useKeys } from '../../keys/keys.ts'
import { useLive } from '../../live/use-live.ts'
import { Button, Command, Loading, ProblemNote } from '../../parts/bits.tsx'
import { Icon } from '../../parts/icon.tsx'
import { ScreenHead } from '../../parts/screen-head.tsx'

/** Trouble first, then what is only worth knowing, then what is well. */
const RANKS = ['bad', 'worrying', 'note', 'well'] as const
type Rank = (typeof RANKS)[number]

export function DoctorScreen() {
  const live = useLive({ key: 'doctor', load: () => postern.upkeep.check() })
  useKeys({ title: 'Doctor', shortcuts: [{ keys: 'r', label: 'Look again', run: live.refresh }] })
  const report = live.value.value
  const problem = live.problem.value
  const groups = report ? groupsOf(report.checks) : []
  return (
    <>
      <ScreenHead title="Doctor" note="The same checks as postern doctor">
        <Button icon="rotate" keys="r" onClick={live.refresh}>
          Look again
        </Button>
      </ScreenHead>
      {problem && <ProblemNote problem={problem} onRetry={live.refresh} />}
      {!report && !problem && <Loading what="the checks" />}
      {report && (
        // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reached by keys
        <section class="doctor scroll" tabIndex={0} aria-label="Checks">
          <p class={`verdict ${report.ok ? 'is-ok' : 'is-bad'}`} role="status">
            <Icon name={report.ok ? 'check' : 'warning'} size={20} />
            {report.ok ? 'Everything that must hold does.' : 'Something is wrong: see the first lines.'}
          </p>
          <ul class="checks">
            {groups.map(({ rank, check }) => (
              <Check key={check.name} rank={rank} check={check} />
            ))}
          </ul>
        </section>
      )}
    </>
  )
}

function groupsOf(checks: readonly HealthCheck[]): readonly { readonly rank: Rank; readonly check: HealthCheck }[] {
  return checks
    .map((check) => ({ rank: rankOf(check), check }))
    .sort((one, other) => RANKS.indexOf(one.rank) - RANKS.indexOf(other.rank))
}

function rankOf({ ok, level }: HealthCheck): Rank {
  if (ok) return 'well'
  return level === 'error' ? 'bad' : level === 'warning' ? 'worrying' : 'note'
}

function Check({ rank, check: { name, detail, next } }: { readonly rank: Rank; readonly check: HealthCheck }) {
  const command = next ? /"(postern [^"]+)"/.exec(next)?.[1] : undefined
  return (
    <li class={`check check-${rank}`}>
      <Icon name={rank === 'well' ? 'check' : 'warning'} label={rank} />
      <div>
        <p>
          <strong>{name}</strong> <span class="soft">{detail}</span>
        </p>
        {next && rank !== 'well' && <p>{next}</p>}
        {rank !== 'well' && command && <Command text={command} />}
      </div>
    </li>
  )
}
