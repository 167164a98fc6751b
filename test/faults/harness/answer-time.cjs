'use strict'
// Preloaded into a hook, this notes how long the process took to its end, without the time in which it waited for a
// processor: a busy machine must not look like a late hook.
const { readFileSync, writeFileSync } = require('node:fs')

const { ANSWER_TIME_FILE } = process.env

process.on('exit', () => {
  writeFileSync(ANSWER_TIME_FILE, String(Math.round(performance.now() - waitedMs())))
})

/** The second number is the nanoseconds for which the main thread was ready to run and did not. */
function waitedMs() {
  try {
    return Number(readFileSync('/proc/self/schedstat', 'utf8').split(' ')[1]) / 1e6
  } catch {
    return 0
  }
}
