import { formatValue, layoutOf } from './splice.ts'
import { CLAUDE_CODE } from './targets.ts'

/** The script of the plugin that hands a hook on; it finds the agent in what the user has set for the plugin. */
const SCRIPT = 'sh "${CLAUDE_PLUGIN_ROOT}/hooks/postern.sh"'

/** The hooks of the Claude Code plugin: for the same events, and in the same manner, as `init` installs. */
export function formatPluginHooks(): string {
  const hooks = Object.entries(CLAUDE_CODE.events).map(([event, forms]) => [
    event,
    [
      {
        hooks: forms.map(({ word, before, after }) => ({
          ...before,
          command: word === null ? SCRIPT : `${SCRIPT} ${word}`,
          ...after,
        })),
      },
    ],
  ])
  const file = { description: 'Shows mail, holds gates, wakes an idle session.', hooks: Object.fromEntries(hooks) }
  return `${formatValue(file, layoutOf(''), '', (value) => 'command' in value)}\n`
}
