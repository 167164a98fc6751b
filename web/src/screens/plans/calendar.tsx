import type { PlanInFull } from '../../../../src/model/sources/plans.ts'
import { now } from '../../parts/clock.ts'
import { formatAbsolute, formatClock, formatDay } from '../../parts/time-text.ts'
import { pathTo } from '../../router/route.ts'
import { nameOf } from '../../state/directory.ts'
import { daysOf, type Firing } from './calendar-days.ts'

/** Four weeks in the zone of whoever looks. Of every plan the next five instants are known, and the last one. */
export function Calendar({ plans }: { readonly plans: readonly PlanInFull[] }) {
  return (
    <div class="calendar scroll">
      <ol class="calendar-days" aria-label="Four weeks">
        {daysOf(plans, now.value).map(({ at, isToday, firings }) => (
          <li key={at} class={`day ${isToday ? 'is-today' : ''} ${firings.length === 0 ? 'is-empty' : ''}`}>
            <span class="day-name">{formatDay(at)}</span>
            {firings.map((firing) => (
              <FiringLink key={`${firing.id}${firing.at}`} firing={firing} />
            ))}
          </li>
        ))}
      </ol>
      <p class="calendar-note">Of every plan the next five times are shown, and the last one.</p>
    </div>
  )
}

function FiringLink({ firing: { id, name, agent, at, isPast } }: { readonly firing: Firing }) {
  return (
    <a
      class={`firing ${isPast ? 'is-past' : ''}`}
      href={pathTo('plans', [id])}
      title={`${name} of ${nameOf(agent)}, ${formatAbsolute(at)}${isPast ? ': has fired' : ''}`}
    >
      <span>{formatClock(at)}</span> {name}
    </a>
  )
}
