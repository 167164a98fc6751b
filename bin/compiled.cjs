'use strict'
// Loads a bundle with all of its code compiled in an earlier run. Node's own cache keeps a file as it is before it runs,
// when V8 has put off nearly every function: compiling those, each time anew, is most of what a short command does.
const fs = require('node:fs')
const { createRequire } = require('node:module')
const { basename, dirname } = require('node:path')
const vm = require('node:vm')

/** The build ends each bundle with a digest of it. V8 itself tells two sources apart by nothing but their lengths. */
const DIGEST_LENGTH = 16

/** As Node wraps a module. */
const HEAD = Buffer.from('(function (exports, require, module, __filename, __dirname) {')
const TAIL = Buffer.from('\n})')

/** What the bundle exports. `folder` must be one that nobody else can write to: what lies there is run. */
function loadCompiled(file, folder) {
  const module = { exports: {} }
  const run = compile(file, `${folder}/${basename(file)}-${process.version}`).runInThisContext()
  run(module.exports, createRequire(file), module, file, dirname(file))
  return module.exports
}

function compile(filename, kept) {
  const bundle = fs.readFileSync(filename)
  const digest = digestAt(bundle.length - DIGEST_LENGTH, bundle)
  // Put together before it is text: of text that is put together V8 would make a copy.
  const source = Buffer.concat([HEAD, bundle, TAIL]).toString()
  const cachedData = readKept(kept, digest)
  if (!cachedData) return compileWhole(source, filename, (code) => keep(kept, digest, code))
  const script = new vm.Script(source, { filename, cachedData })
  // It is damaged, or was made under other flags. The next run makes a new one: this one has the source, though not whole.
  if (script.cachedDataRejected) remove(kept)
  return script
}

function digestAt(start, content) {
  return content.toString('latin1', start, start + DIGEST_LENGTH)
}

/** Undefined where there is none, or one of another bundle. */
function readKept(path, digest) {
  try {
    const content = fs.readFileSync(path)
    return digestAt(0, content) === digest ? content.subarray(DIGEST_LENGTH) : undefined
  } catch {
    return undefined
  }
}

/** Puts nothing off, and hands the code on when the program has ended: until then somebody waits for it. */
function compileWhole(source, filename, whenOver) {
  const { setFlagsFromString } = require('node:v8')
  setFlagsFromString('--no-lazy')
  try {
    const script = new vm.Script(source, { filename })
    process.once('exit', () => whenOver(script.createCachedData()))
    return script
  } finally {
    // V8 refuses code that was made under other flags.
    setFlagsFromString('--lazy')
  }
}

/**
 * The file appears whole or not at all, whatever happens to the machine: V8 would run half of one. Nobody else writes to
 * the same part, not even a process of another container, which may well have the same number.
 */
function keep(path, digest, code) {
  const partial = `${path}.${process.pid}-${Math.random().toString(36).slice(2)}`
  try {
    const content = Buffer.concat([Buffer.from(digest), code])
    fs.writeFileSync(partial, content, { mode: 0o600, flush: true, flag: 'wx' })
    fs.renameSync(partial, path)
  } catch {
    // The next run compiles it again.
    remove(partial)
  }
}

function remove(path) {
  try {
    fs.unlinkSync(path)
  } catch {
    // It is gone already, or the folder is one that we cannot write to.
  }
}

module.exports = { loadCompiled }
