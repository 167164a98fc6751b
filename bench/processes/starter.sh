# Starts programs from a process that is small, and is therefore no Node: to fork one of that size takes as long as a shell
# runs, whoever does it. Is told commands, a line each; answers with the microseconds from start to end, and the exit code.
while IFS= read -r command; do
  began=$EPOCHREALTIME
  eval "$command"
  code=$?
  ended=$EPOCHREALTIME
  echo "$((${ended/[.,]/} - ${began/[.,]/})) $code"
done
