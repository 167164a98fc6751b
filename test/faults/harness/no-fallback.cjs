'use strict'
// A planted bug, preloaded into a hook: it says nothing if the store fails it, and leaves no mark that it said nothing.
const Module = require('node:module')
const fs = require('node:fs')

const load = Module._load
Module._load = (request, ...rest) => {
  if (/[\\/]hooks-fallback\.cjs$/.test(request)) throw new Error('planted: no answer without the store')
  return load(request, ...rest)
}

const rename = fs.renameSync
fs.renameSync = (from, to) => (/\.pending$/.test(to) ? undefined : rename(from, to))
