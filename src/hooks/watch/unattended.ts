/**
 * Whether Claude Code runs for a script and not for a person. Then it waits for every background hook before it ends, so
 * a watcher would keep it from ending at all; and when it ends there is nobody left to be woken. Versions that do not say
 * whether somebody is there still say how they were started.
 */
export function isUnattended(env: Readonly<Record<string, string | undefined>>): boolean {
  const attended = env['CLAUDE_CODE_SESSION_ATTENDED']
  if (attended === '0' || attended === '1') return attended === '0'
  return env['CLAUDE_CODE_ENTRYPOINT']?.startsWith('sdk') ?? false
}
