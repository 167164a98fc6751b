'use strict'
// A planted bug, preloaded into a command: what it prints goes out only as it ends, after it has said "printed".
const fs = require('node:fs')

const writeSync = fs.writeSync
const STDOUT = 1
const late = []
fs.writeSync = (descriptor, bytes, ...rest) => {
  if (descriptor !== STDOUT) return writeSync(descriptor, bytes, ...rest)
  late.push(Buffer.from(bytes))
  return bytes.length
}
process.on('exit', () => writeSync(STDOUT, Buffer.concat(late)))
