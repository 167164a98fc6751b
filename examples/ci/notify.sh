#!/bin/sh
# Tells an agent how a CI run ended. Safe to run again: one run and outcome is one message, however often the step is retried.
#
#   examples/ci/notify.sh <agent> <run-id> <passed|failed> [text]
#
# POSTERN says how to run Postern (default: npx postern). The store comes from the usual configuration.
set -eu

if [ $# -lt 3 ]; then
  echo "usage: $0 <agent> <run-id> <passed|failed> [text]" >&2
  exit 64
fi
agent=$1 run=$2 outcome=$3
text=${4:-"CI run $run $outcome"}

case $outcome in
  passed) priority=3 ;;
  failed) priority=1 ;;
  *) echo "$0: the outcome is passed or failed, not $outcome" >&2; exit 64 ;;
esac

# Unquoted on purpose: POSTERN may be several words, such as "node bin/postern.cjs".
# shellcheck disable=SC2086
exec ${POSTERN:-npx postern} inbox push --to "$agent" --type alert --priority "$priority" \
  --ref "ci:$run" --ttl 7d --dedup-key "ci:$run:$outcome" -- "$text"
