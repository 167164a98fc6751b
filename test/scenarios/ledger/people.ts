import { openPostern } from '../../../src/host/open/open.ts'
import type { CommandOptions, Outcome } from '../../helpers/command.ts'
import { fastFolder } from '../../helpers/temp.ts'
import { warmPostern } from '../../helpers/warm-command.ts'

export const LOCAL_LABEL = '(local ledger: no public consensus)'
export const LOCAL = { kind: 'local', network: 'local', public_consensus: false }

/** A home in which quinn and mindy work, and justin is told when a person is needed. */
export async function withPeople(): Promise<CommandOptions> {
  const home = fastFolder()
  const { agents, close } = await openPostern({ home, upkeep: false })
  await agents.add({ id: 'quinn' })
  await agents.add({ id: 'mindy' })
  await agents.add({ id: 'justin', kind: 'human', isOwner: true })
  await close()
  return { home }
}

/** A message as quinn. */
export function send(options: CommandOptions, ...args: readonly string[]): Promise<Outcome> {
  return warmPostern(options, 'message', 'send', ...args, '--agent', 'quinn')
}
