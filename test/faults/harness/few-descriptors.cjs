'use strict'
// Preloaded into a command that is to run out of file descriptors: leaves it as many as it is told.
const { closeSync, openSync } = require('node:fs')

const taken = []
try {
  for (;;) taken.push(openSync('/dev/null', 'r'))
} catch {
  for (let left = Number(process.env.POSTERN_TEST_DESCRIPTORS); left > 0; left--) closeSync(taken.pop())
}
