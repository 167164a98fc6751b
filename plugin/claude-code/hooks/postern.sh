#!/bin/sh
# Hands a hook of Claude Code to Postern's launcher, or to Postern itself where there is none. It must never break the
# session: where Postern is not installed, or fails, it says nothing and succeeds. Only the watcher, which $1 calls
# rewake, may end with 2; for other hooks $1 is empty or full.
agent=${POSTERN_AGENT:-$CLAUDE_PLUGIN_OPTION_AGENT}
launcher=${POSTERN_HOME:-$HOME/.postern}/bin/hook
if [ -x "$launcher" ]; then
  exec "$launcher" claude-code "$agent" "$1"
fi
word=$1
set -- hook --host claude-code
[ -z "$agent" ] || set -- "$@" --agent "$agent"
[ "$word" != rewake ] || set -- "$@" --rewake
command -v postern >/dev/null 2>&1 || exit 0
postern "$@"
code=$?
[ "$word" != rewake ] || [ $code -ne 2 ] || exit 2
exit 0
