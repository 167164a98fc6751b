import { inQuotes } from '../../kit/pure/shell-word.ts'
import { BOOT_ID_FILE, LIVE_FOLDER, QUIET_FOLDER } from '../../model/quiet.ts'

/** What a launcher remembers of the machine it was written on. */
export interface LauncherFacts {
  readonly node: string
  /** The executable, `bin/postern.cjs`. */
  readonly program: string
  readonly home: string
}

/** The launcher leaves a line here where it finds nothing to run; `doctor` shows it. */
export const HOOK_ERRORS = 'hook-errors.log'
const MAX_ERRORS = 50

/**
 * A hook is over before more threads than one could help it, and each takes a while to start. It also is over before its
 * young heap is worth cleaning up, if that is a little larger than usual.
 */
export const NODE_FLAGS = ['--v8-pool-size=1', '--min-semi-space-size=2'] as const

/**
 * The program that hosts call, for any POSIX shell. It runs thousands of times a day and mostly to find that nothing
 * waits, so on that way it uses nothing but what is built into every shell: no process is started, stdin stays unread,
 * and nothing is said. A doubt of any kind costs a start of Node, never a message. Whatever is broken here must not
 * break the host: then it says nothing and succeeds. Cursor and programs of one's own want JSON even for that.
 * `native/launcher.c` says the same in C; who changes one changes the other.
 */
export function formatLauncher({ node, program, home }: LauncherFacts): string {
  return `#!/bin/sh
# Calls Postern for a host's hook: hook <host> <agent> [full|rewake]
# Written by "postern init", which also renews it. What is changed here is lost then.
node=${inQuotes(node)}
program=${inQuotes(program)}
home=\${POSTERN_HOME:-${inQuotes(home)}}
agent=\${POSTERN_AGENT:-$2}

# Succeeds where certainly nothing waits for the agent and the event could only deliver.
is_quiet() {
  [ -z "$1" ] && [ -z "$POSTERN_STORE" ] || return 1
  case $agent in
  '' | *[!abcdefghijklmnopqrstuvwxyz0123456789_-]*) return 1 ;;
  esac
  quiet=$home/${QUIET_FOLDER}/$agent
  [ -f "$quiet" ] && [ -r "$quiet" ] && [ -r ${BOOT_ID_FILE} ] || return 1
  # A project that is trusted, or a setting newer than the quiet file, may name another store.
  [ ! -e "$home/trusted.json" ] || return 1
  [ ! -e "$home/config.json" ] || [ "$quiet" -nt "$home/config.json" ] || return 1
  # It may be gone by now, which is no error.
  { is_current <"$quiet"; } 2>/dev/null
}

# Reads a quiet file: made since the machine was started, and every spool that it names is empty.
is_current() {
  IFS= read -r boot && IFS= read -r now <${BOOT_ID_FILE} && [ -n "$boot" ] && [ "$boot" = "$now" ] || return 1
  while IFS= read -r spool || [ -n "$spool" ]; do
    [ ! -s "$spool" ] || return 1
  done
}

# Leaves with nothing to say, in the form that the host wants.
leave() {
  case $host in
  cursor | generic) echo '{}' ;;
  esac
  exit 0
}

host=$1
if is_quiet "$3"; then
  umask 077
  [ ! -d "$home/${LIVE_FOLDER}" ] || { true >"$home/${LIVE_FOLDER}/$agent"; } 2>/dev/null
  leave
fi

word=$3
# Where nobody sits at it Claude Code waits for the watcher before it ends.
if [ "$word" = rewake ] && [ "$CLAUDE_CODE_SESSION_ATTENDED" = 0 ]; then
  leave
fi
export POSTERN_HOME="$home"
set -- hook --host "$host"
[ -z "$agent" ] || set -- "$@" --agent "$agent"
[ "$word" != rewake ] || set -- "$@" --rewake
if [ -x "$node" ] && [ -f "$program" ]; then
  exec "$node" ${NODE_FLAGS.join(' ')} "$program" "$@"
fi

problem='the Node or the Postern that "postern init" recorded is gone; run "postern init" again'
if command -v postern >/dev/null 2>&1; then
  postern "$@"
  code=$?
  [ $code -ne 0 ] || exit 0
  [ "$word" != rewake ] || [ $code -ne 2 ] || exit 2
  problem="$problem; the postern on the path ended with $code"
fi
[ -d "$home" ] || leave
{
  umask 077
  errors=$home/${HOOK_ERRORS}
  count=0
  [ ! -f "$errors" ] || while read -r line; do count=$((count + 1)); done <"$errors"
  [ $count -lt ${MAX_ERRORS} ] || true >"$errors"
  echo "$(date -u +%Y-%m-%dT%H:%M:%SZ) launcher: $problem" >>"$errors"
} 2>/dev/null
leave
`
}
