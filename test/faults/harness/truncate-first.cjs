'use strict'
// A planted bug, preloaded into a command: a spool is emptied as soon as it was read, before the store has anything.
const fs = require('node:fs')

const readSync = fs.readSync
fs.readSync = (descriptor, ...rest) => {
  const read = readSync(descriptor, ...rest)
  if (fs.readlinkSync(`/proc/self/fd/${descriptor}`).endsWith('/inject-queue/ses-1.jsonl'))
    fs.ftruncateSync(descriptor, 0)
  return read
}
