import { listShadows, removeShadow, type ShadowedSession } from '../../../hooks/shadows.ts'
import { readFolderConfig } from '../../../host/config/folder-config.ts'
import type { Shadow } from '../../../host/shadow.ts'
import { restoreShadows } from '../../../host/shadow-copies.ts'
import type { Caller } from '../../../model/caller.ts'
import { PosternError } from '../../../model/errors.ts'
import { isLocalPostern, type LocalPostern, type Postern } from '../../../model/postern.ts'
import { showField } from '../../../render/terminal.ts'
import type { Command, Io } from '../../shell/command.ts'
import { configFlags } from '../../shell/config-flags.ts'
import { requireOutsideHosts } from '../../shell/outside-hosts.ts'
import { answer } from '../../shell/print.ts'

export const gateForget: Command = {
  path: 'gate forget',
  isLocal: true,
  summary: 'Forget the gates of a store that is gone.',
  examples: ['postern gate forget --as justin'],

  async run(io, args) {
    const postern = await io.open()
    requireOutsideHosts('cannot forget gates')
    const lost = await forgetLost(io, postern, configFlags(args))
    answer(io, { forgotten: lost.map(describe) }, lost.length === 0 ? NOTHING : lost.map(inWords).join('\n'))
    return undefined
  },
}

async function forgetLost({ config }: Io, postern: Postern, flags: Flags): Promise<readonly ShadowedSession[]> {
  requireHuman(postern.caller)
  if (!isLocalPostern(postern)) throw new Error('a local command has asked a server')
  restoreShadows(config.home)
  const lost = await findLostSessions({ config }, postern, flags)
  for (const session of lost) await forget(config.home, postern, session)
  return lost
}

const NOTHING = 'No session is held by gates of a store that is gone.'

type Flags = Parameters<typeof readFolderConfig>[0]['flags']

/** Sessions that use this store and are held by gates that it does not know. */
export async function findLostSessions(
  { config }: Pick<Io, 'config'>,
  postern: LocalPostern,
  flags: Flags = {},
): Promise<readonly ShadowedSession[]> {
  const lost: ShadowedSession[] = []
  for (const session of listShadows(config.home)) {
    const { agent, sessionId, folder } = session
    const own = folder === null ? config : readFolderConfig({ flags, env: process.env, cwd: folder }, () => {})
    if (own.store !== config.store) continue
    if ((await postern.hooks.standing({ agent, sessionId, known: session })).isReplaced) lost.push(session)
  }
  return lost
}

/** An agent that gates hold may not forget them, and neither may an unnamed caller, which may be that agent. */
function requireHuman({ kind }: Caller): void {
  if (kind === 'human') return
  throw new PosternError('NOT_ALLOWED', {
    message: 'Only a person can forget gates.',
    next: 'Let a registered person run it with "--as <person>", from a terminal of their own.',
  })
}

/** People are told of the pass before the gates are forgotten. The store does not know the gates, so it keeps no history of them. */
async function forget(home: string, postern: LocalPostern, session: ShadowedSession): Promise<void> {
  const { agent, sessionId } = session
  const evidence = `${postern.caller.id} forgot the gate, because the store that knew it is gone`
  const names = [...new Set([...gatesOf(session), ...session.bypassed])]
  await postern.hooks.passed({ agent, sessionId, outcome: 'bypassed', names, evidence })
  removeShadow(home, session)
}

function gatesOf({ gates }: Shadow): readonly string[] {
  return gates.filter(({ mode }) => mode === 'strict').map(({ name }) => name)
}

function describe(session: ShadowedSession) {
  return { agent: session.agent, session: session.sessionId, gates: gatesOf(session) }
}

function inWords(session: ShadowedSession): string {
  const { agent, sessionId } = session
  return showField(`Forgotten: ${gatesOf(session).join(', ')} of ${agent} in the session ${sessionId}`, MAX_WIDTH)
}

const MAX_WIDTH = 2_000
