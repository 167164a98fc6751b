import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { PosternError } from '../../model/errors.ts'
import { FIRED_WITHIN_MS } from '../../model/session.ts'
import type { Handler, HookCall, Verdict } from '../handler.ts'
import { HOOK_EVENTS, type HookEventName, type Host } from '../hosts/host.ts'
import { inTime, untilLate } from '../in-time.ts'
import { giveBack } from '../shown.ts'

/** Where a session may be shown what an earlier one has left: at the first of these that reaches the model. */
const PLACES: readonly HookEventName[] = ['session.start', 'prompt.submit', 'turn.stop']

/** Shows what earlier sessions have left, and notes that this one goes on with what it was shown before. */
export const inherit: Handler = {
  name: 'inherit',
  priority: 10,
  events: HOOK_EVENTS,
  needsSession: true,

  handle: (call) =>
    whereThereIsHandoff(call, async () => {
      await settle(call)
      return call.event.name === 'turn.stop' ? undefined : inheritHere(call)
    }),
}

/**
 * Showing something at a stop postpones the stop, so this runs after every handler that may forbid that. It also
 * runs after the gates have decided, so slow or broken files neither delay nor fail the verdict; a later hook shows
 * them.
 */
export const inheritAtStop: Handler = {
  name: 'inherit at stop',
  priority: 25,
  events: ['turn.stop'],
  needsSession: true,

  async handle(call) {
    if (call.isLoopBroken) return undefined
    try {
      return await whereThereIsHandoff(call, () => inTime(untilLate(call.settings), inheritHere(call), giveBackLate))
    } catch (error) {
      call.note(error)
      return undefined
    }

    async function giveBackLate(late: Verdict | undefined): Promise<void> {
      if (late) await giveBack(call, late, 'the handoff came too late for its hook')
    }
  },
}

/** Few projects have a handoff: elsewhere this costs one look. What goes wrong with the files keeps no mail back. */
async function whereThereIsHandoff(
  call: HookCall,
  handle: () => Promise<Verdict | undefined>,
): Promise<Verdict | undefined> {
  if (call.event.isSubagent) return undefined
  try {
    return mayHaveHandoff(call) ? await handle() : undefined
  } catch (error) {
    if (error instanceof PosternError && error.code.startsWith('STORE_')) throw error
    call.note(error)
    return undefined
  }
}

/** A shared handoff may lie in another checkout, and a shared inbox anywhere: neither is looked for twice. */
function mayHaveHandoff({ handoff, root }: HookCall): boolean {
  const { shared, sharedInbox } = handoff()
  return shared || sharedInbox !== null || existsSync(join(root, 'inbox'))
}

/**
 * A session that begins anew has not gone on with what it was shown before. Where hooks are installed twice, what the
 * other one has shown at this very beginning is nothing of before.
 */
async function settle({ event, host, postern, settings }: HookCall): Promise<void> {
  const { sessionId, name } = event
  const begins = isBeginning(event)
  const loses = name === 'compact.before' && !host.keepsContextWhenCompacting
  await postern.hooks.settleInheritances({
    sessionId,
    ageMs: settings.ageMs() + (begins ? FIRED_WITHIN_MS : 0),
    isOver: begins || loses || name === 'session.end',
  })
}

function isBeginning({ name, source }: HookCall['event']): boolean {
  return name === 'session.start' && source !== 'compact'
}

async function inheritHere(call: HookCall): Promise<Verdict | undefined> {
  const { event, host, session, isForeign } = call
  if (isForeign || session === undefined || event.name !== placeOf(host) || event.source === 'compact') return undefined
  return (await import('../inheriting.ts')).inheritNow(call)
}

function placeOf({ drains, injects }: Host): HookEventName | undefined {
  return PLACES.find((name) => drains[name] !== undefined && injects.includes(name))
}
