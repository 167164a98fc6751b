#!/bin/sh
# What is mounted belongs to somebody else, and Postern trusts a token and a key only where they are its own. So they are
# copied into its home, each in one step: two containers may share a home.
set -eu
umask 077
for name in token secret.key config.json; do
  if [ -f "/run/postern/$name" ]; then
    cp "/run/postern/$name" "$POSTERN_HOME/.$name.$$"
    mv "$POSTERN_HOME/.$name.$$" "$POSTERN_HOME/$name"
  fi
done
exec postern "$@"
