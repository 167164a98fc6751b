#!/usr/bin/env node
'use strict'
// Written for any Node, so that an old one can still read what to do.
// A host takes any code but 0 for a refusal, so a hook that cannot run says so and leaves with that.
var isHook = process.argv[2] === 'hook'
var version = process.versions.node.split('.').map(Number)
if (version[0] < 22 || (version[0] === 22 && version[1] < 13)) {
  process.stderr.write(
    'postern: Node 22.13 or newer is needed; this is ' +
      process.versions.node +
      '.\n' +
      '  In a clone, "npm install" brings one: run "npx postern ..." there. Elsewhere, install a newer Node first.\n',
  )
  process.exit(isHook ? 0 : 69)
}

var argv = process.argv.slice(2)
var fs = require('node:fs')
if (!fs.existsSync(__dirname + '/../dist/main.cjs')) {
  process.stderr.write('postern: this clone is not built yet. Run "npm install" (or "npm run build") in it first.\n')
  process.exit(isHook ? 0 : 69)
}
if (!isHook) {
  process.on('SIGINT', () => {
    process.exit(130)
  })
}

// Compiled code is kept in the user's own folder, if nobody else can put any there: what lies there is run.
var path = require('node:path')
function isOwn(folder) {
  var stat
  try {
    stat = fs.statSync(folder)
  } catch (_error) {
    return false
  }
  return (!process.getuid || stat.uid === process.getuid()) && (stat.mode & 0o022) === 0
}
// Node would make the folder for whomever the umask lets in.
function make(folder) {
  try {
    fs.mkdirSync(folder, 0o700)
  } catch (_error) {
    // Somebody else has made it, or there can be none.
  }
}
// A home that is named by where one happens to be may be anybody's, such as a part of what was cloned.
function findCache(home) {
  if (!home || !path.isAbsolute(home) || !isOwn(home)) return undefined
  var folder = home + '/cache'
  if (!fs.existsSync(folder)) make(folder)
  return isOwn(folder) ? folder : undefined
}
var cache = findCache(process.env.POSTERN_HOME || (process.env.HOME && process.env.HOME + '/.postern'))
function useCache() {
  if (!cache) return
  var mask = process.umask(0o077)
  require('node:module').enableCompileCache(cache)
  process.umask(mask)
}

// What runs thousands of times a day is kept with that code compiled that earlier runs have used. Node's own cache keeps a
// file as it is before it runs, when V8 has put off nearly every function: compiling those, each time anew, is most of what
// a short command does. To keep all of them compiled is no better: to read back what never runs takes as long.
// It stands here because to load one more file takes longer than to run it.

// The build ends each bundle with a digest of it. V8 itself tells two sources apart by nothing but their lengths.
var DIGEST_LENGTH = 16
// As Node wraps a module.
var HEAD = '(function (exports, require, module, __filename, __dirname) {'
var TAIL = '\n})'

// Programs that share a file use other parts of it, and to read back the parts of others takes time.
var KIND = isHook ? 'hook' : argv[0] === 'inbox' || argv[0] === 'bus' ? argv[0] : 'main'

// What this run is for, in a word: each use is learned once. It is known later than the bundle is loaded.
var use = 'look'

var dist = path.join(__dirname, '..', 'dist')

// Files that are loaded often; the other parts are left to Node and its own cache.
var COMPILED = ['./often.cjs', './hook.cjs', './bus.cjs', './buses.cjs']

function load(name) {
  var file = path.join(dist, name)
  var loaded = require.cache[file]
  if (loaded) return loaded.exports
  return cache ? loadCompiled(file, cache + '/' + name + '-' + KIND + '-' + process.version) : require(file)
}

function loadCompiled(file, keptAt) {
  var source = readWrapped(file)
  var digest = digestAt(source.length - TAIL.length - DIGEST_LENGTH, source)
  var kept = readKept(keptAt, digest)
  var script = new (require('node:vm').Script)(source.toString(), { filename: file, cachedData: kept.code })
  // It is damaged, or was made under other flags. The next run makes a new one.
  if (script.cachedDataRejected) remove(keptAt)
  else process.once('exit', () => learn(keptAt, digest, kept, script))
  // Parts that require this file find it here. Without a prototype V8 adds hundreds of names to it at less cost.
  var loaded = { id: file, filename: file, loaded: true, exports: Object.create(null) }
  require.cache[file] = loaded
  script.runInThisContext()(loaded.exports, requireFor(file), loaded, file, path.dirname(file))
  return loaded.exports
}

// Put together before it is text, and where it is read to: of anything else there would be a copy.
function readWrapped(file) {
  var descriptor = fs.openSync(file)
  var size = fs.fstatSync(descriptor).size
  var source = Buffer.allocUnsafe(HEAD.length + size + TAIL.length)
  source.write(HEAD, 0, 'latin1')
  fs.readSync(descriptor, source, HEAD.length, size)
  source.write(TAIL, HEAD.length + size, 'latin1')
  fs.closeSync(descriptor)
  return source
}

// Most of what bundles ask for is Node's own, which nobody has to look for. The rest are parts of theirs.
function requireFor(file) {
  return (id) => process.getBuiltinModule(id) || requirePart(file, id)
}

function requirePart(file, id) {
  if (COMPILED.indexOf(id) >= 0) return load(id.slice(2))
  useCache()
  return require('node:module').createRequire(file)(id)
}

function digestAt(start, content) {
  return content.toString('latin1', start, start + DIGEST_LENGTH)
}

// V8 makes a copy of code that lies elsewhere.
var ALIGNMENT = 8

// The digest of the bundle, the uses that were learned, each between spaces, an end of line, and the code.
function readKept(keptAt, digest) {
  var content
  try {
    content = fs.readFileSync(keptAt)
  } catch (_error) {
    content = Buffer.alloc(0)
  }
  var end = content.indexOf(10)
  if (digestAt(0, content) !== digest || end < DIGEST_LENGTH) return { uses: '', code: undefined }
  return { uses: content.toString('latin1', DIGEST_LENGTH, end), code: content.subarray(end + 1) }
}

// The program has ended: nobody waits for its answer any more.
function learn(keptAt, digest, kept, script) {
  if (kept.uses.indexOf(' ' + use + ' ') >= 0) return
  var code = script.createCachedData()
  // What a long run has not used for a while V8 throws away.
  if (kept.code && code.length < kept.code.length) return
  var head = digest + ' ' + (kept.uses.trim() + ' ' + use).trim() + ' '
  var length = Math.ceil((head.length + 1) / ALIGNMENT) * ALIGNMENT
  keep(keptAt, Buffer.concat([Buffer.from(head.padEnd(length - 1) + '\n'), code]))
}

// The file appears whole or not at all, whatever happens to the machine: V8 would run half of one. Nobody else writes to
// the same part, not even a process of another container, which may well have the same number.
function keep(keptAt, content) {
  var partial = keptAt + '.' + process.pid + '-' + Math.random().toString(36).slice(2)
  try {
    fs.writeFileSync(partial, content, { mode: 0o600, flush: true, flag: 'wx' })
    fs.renameSync(partial, keptAt)
  } catch (_error) {
    // The next run compiles it again.
    remove(partial)
  }
}

function remove(file) {
  try {
    fs.unlinkSync(file)
  } catch (_error) {
    // It is gone already, or the folder is one that we cannot write to.
  }
}

var OFTEN = ['inbox push', 'inbox drain', 'bus post', 'bus read']

function loadAnswer(event) {
  use = event
  return load('hook.cjs').answerEvent
}

// A look needs no other file, and mostly nothing comes after it.
function look() {
  if (isHook) return load('hook-look.cjs').runHook(argv, loadAnswer)
  return argv[0] === 'inbox' && argv[1] === 'drain' ? load('drain-look.cjs').lookForMail(argv) : undefined
}

function runOften() {
  use = argv[1]
  return load('often.cjs').runOften(argv)
}

// The smallest program that can answer is loaded first; what it leaves open the next one does.
function run() {
  var answer = look()
  if (answer !== undefined) return answer
  answer = OFTEN.indexOf(argv[0] + ' ' + argv[1]) >= 0 ? runOften() : undefined
  return answer === undefined ? runMain() : answer
}

function runMain() {
  useCache()
  load('often.cjs')
  return require('../dist/main.cjs').runMain(argv)
}

function fail(error) {
  if (!isHook) throw error
  process.stderr.write('postern: the hook could not run: ' + error.message + '\n')
}

try {
  run().then(
    (code) => {
      process.exitCode = code
    },
    () => {
      process.exitCode = isHook ? 0 : 1
    },
  )
} catch (error) {
  fail(error)
}
