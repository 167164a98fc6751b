#!/bin/sh
# Starts the tools of Postern for Claude Code, by the Node and the Postern that the launcher of the hooks was written for,
# or else by the postern on the path. Stdout is the protocol, so nothing is said there. It becomes Postern itself, which
# must see whether the client ends it or was killed.
agent=${POSTERN_AGENT:-$CLAUDE_PLUGIN_OPTION_AGENT}
launcher=${POSTERN_HOME:-$HOME/.postern}/bin/hook
# Where that is no script, the one beside it says the same.
[ ! -r "$launcher.sh" ] || launcher=$launcher.sh
set -- mcp
[ -z "$agent" ] || set -- "$@" --agent "$agent"
node=
program=
[ ! -r "$launcher" ] || eval "$(sed -n '/^node=/p; /^program=/p' "$launcher")"
if [ -x "$node" ] && [ -f "$program" ]; then
  exec "$node" "$program" "$@"
fi
if command -v postern >/dev/null 2>&1; then
  exec postern "$@"
fi
echo 'postern: not installed. Install it: npm install -g postern' >&2
exit 1
