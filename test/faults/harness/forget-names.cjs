'use strict'
// A planted bug, preloaded into a command: the name of a batch is never written down.
const fs = require('node:fs')

const openSync = fs.openSync
fs.openSync = (path, ...rest) => {
  if (String(path).endsWith('.state.partial')) throw new Error('planted')
  return openSync(path, ...rest)
}
