import { LOCAL_CALLER } from '../../../model/caller.ts'
import { PosternError } from '../../../model/errors.ts'
import type { Postern } from '../../../model/postern.ts'

const HIGH = 1

/**
 * Tells those who are responsible that an agent's budget of wakes is spent: owners, else everybody human. Once a day,
 * by its key, however often it happens and however often `wake` is started again.
 */
export async function tellOfSpentBudget(postern: Postern, agent: string, now: number): Promise<void> {
  const people = (await postern.agents.list()).filter(({ kind }) => kind === 'human')
  const owners = people.filter(({ isOwner }) => isOwner)
  const to = (owners.length > 0 ? owners : people).map(({ id }) => id)
  if (to.length === 0) return
  const day = new Date(now).toISOString().slice(0, 10)
  const notice = {
    to,
    type: 'system',
    priority: HIGH,
    dedupKey: `wake:spent:${agent}:${day}`,
    subject: `${agent} was woken too often`,
    content: `${agent} has been woken as often within an hour as its "postern wake" allows. Its mail waits until the hour is over. See what comes in with "postern inbox list --agent ${agent} --all"; allow more with "--max-per-hour".`,
  } as const
  try {
    await postern.as({ ...LOCAL_CALLER, via: 'wake' }).inbox.push(notice)
  } catch (error) {
    // To be told is of less weight than to go on.
    if (!(error instanceof PosternError)) throw error
  }
}
