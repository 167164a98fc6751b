import type { Message } from '../../../src/model/message.ts'
import type { AgentStatus } from '../../../src/model/postern.ts'
import type { SpaceStatus } from '../../../src/model/sources/spaces.ts'
import type { IconName } from '../parts/icon.tsx'
import { headlineOf } from '../parts/message-text.ts'
import { pathTo } from '../router/route.ts'
import { compose } from '../shell/layers.ts'
import { PLACES } from '../shell/places.ts'
import { nextTheme } from '../shell/theme.ts'

export interface Finding {
  readonly id: string
  readonly icon: IconName
  readonly title: string
  readonly note?: string
  readonly path?: string
  readonly message?: Message
  run?(): void
}

interface Known {
  readonly agents: readonly AgentStatus[]
  readonly spaces: readonly SpaceStatus[]
}

const COMMANDS: readonly Finding[] = [
  { id: 'compose', icon: 'plus', title: 'Write a message', note: 'c', run: () => compose() },
  { id: 'theme', icon: 'sun', title: 'Change the theme', note: 'T', run: nextTheme },
]

const MOST = 8

/** Screens, agents, spaces and commands whose name holds what was typed; those that begin with it first. */
export function findCommands(query: string, { agents, spaces }: Known): readonly Finding[] {
  const text = query.trim().toLowerCase()
  const id = /^(msg|dec|gate|plan)_\w+$/.exec(query.trim())
  const places = PLACES.map(
    ({ screen, title, icon, letter }): Finding => ({
      id: screen,
      icon,
      title,
      note: `g ${letter}`,
      path: pathTo(screen),
    }),
  )
  if (text === '') return [...places, ...COMMANDS]
  const all = [
    ...(id ? [byId(id[0], id[1] ?? '')] : []),
    ...places,
    ...COMMANDS,
    ...agents.map(
      (agent): Finding => ({
        id: `agent-${agent.id}`,
        icon: agent.kind === 'human' ? 'people' : 'agent',
        title: agent.displayName,
        note: agent.kind,
        path: pathTo('agents', [agent.id]),
      }),
    ),
    ...spaces.map(
      (space): Finding => ({
        id: `space-${space.id}`,
        icon: 'space',
        title: space.name,
        note: 'space',
        path: pathTo('spaces', [space.id]),
      }),
    ),
  ]
  const rank = ({ title, id: own }: Finding) => {
    const name = title.toLowerCase()
    if (name.startsWith(text)) return 0
    return name.includes(text) || own.includes(text) ? 1 : 2
  }
  return all
    .filter((finding) => rank(finding) < 2)
    .sort((one, other) => rank(one) - rank(other))
    .slice(0, MOST)
}

/** Whoever pastes an id goes straight to it. */
function byId(id: string, kind: string): Finding {
  const screens = { msg: 'trace', dec: 'decisions', gate: 'gates', plan: 'plans' } as const
  const screen = screens[kind as keyof typeof screens]
  return { id: `id-${id}`, icon: 'right', title: id, note: `open in ${screen}`, path: pathTo(screen, [id]) }
}

export function messageFinding(message: Message): Finding {
  return {
    id: message.id,
    icon: 'inbox',
    title: headlineOf(message),
    path: pathTo('inbox', [message.id]),
    message,
  }
}
