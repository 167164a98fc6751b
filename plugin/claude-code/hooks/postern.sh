#!/bin/sh
# Hands a hook of Claude Code to Postern's launcher, or to Postern itself where there is none. It must never break the
# session: where Postern is not installed it says nothing and succeeds. $1 is empty, full or rewake.
agent=${POSTERN_AGENT:-$CLAUDE_PLUGIN_OPTION_AGENT}
launcher=${POSTERN_HOME:-$HOME/.postern}/bin/hook
if [ -x "$launcher" ]; then
  exec "$launcher" claude-code "$agent" "$1"
fi
word=$1
set -- hook --host claude-code
[ -z "$agent" ] || set -- "$@" --agent "$agent"
[ "$word" != rewake ] || set -- "$@" --rewake
if command -v postern >/dev/null 2>&1; then
  exec postern "$@"
fi
exit 0
