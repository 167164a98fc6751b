#!/usr/bin/env node
'use strict'
// Written so that any Node can parse it: an old one must still print what to do.
// A host takes any exit code but 0 for a refusal, so a hook that cannot run says so and exits with 0.
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

// Compiled code is cached in the user's own folder, if nobody else can write to it: cached code is run.
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
// Node would create the folder with the permissions of the umask.
function make(folder) {
  try {
    fs.mkdirSync(folder, 0o700)
  } catch (_error) {
    // Another process has created it, or it cannot be created.
  }
}
// Leave the last free space to the store: start no cache below 64 MB, and remove an existing one below 16 MB.
var MEGABYTE = 1024 * 1024
var ROOM_TO_BEGIN = 64 * MEGABYTE
var ROOM_TO_STAY = 16 * MEGABYTE
function roomOf(folder) {
  var disk
  try {
    disk = fs.statfsSync(folder)
    return disk.bavail * disk.bsize
  } catch (_error) {
    return Infinity
  }
}
function giveWay(folder) {
  try {
    if (isOwn(folder)) fs.rmSync(folder, { recursive: true, force: true })
  } catch (_error) {
    // It is on a file system that cannot be written, or another process has removed it.
  }
}
// A relative home depends on the working folder, and may be part of a cloned repository. So it gets no cache.
function findCache(home) {
  if (!home || !path.isAbsolute(home) || !isOwn(home)) return undefined
  var folder = home + '/cache'
  var isThere = fs.existsSync(folder)
  if (roomOf(isThere ? folder : home) < (isThere ? ROOM_TO_STAY : ROOM_TO_BEGIN)) {
    if (isThere) giveWay(folder)
    return undefined
  }
  if (!isThere) make(folder)
  return isOwn(folder) ? folder : undefined
}
var cache = findCache(process.env.POSTERN_HOME || (process.env.HOME && process.env.HOME + '/.postern'))
function useCache() {
  if (!cache) return
  var mask = process.umask(0o077)
  require('node:module').enableCompileCache(cache)
  process.umask(mask)
}

// Files that run thousands of times a day are cached together with the compiled functions that earlier runs have used.
// Node's own cache stores a file before it runs, when V8 has skipped nearly every function. Compiling these again in
// each run is most of what a short command does. Caching every function compiled is no better: reading back functions
// that never run takes as long. This code is here because loading one more file takes longer than running it.

// The build appends a digest to each bundle. V8 itself compares only the lengths of two sources.
var DIGEST_LENGTH = 16
// The function in which Node wraps a CommonJS module.
var HEAD = '(function (exports, require, module, __filename, __dirname) {'
var TAIL = '\n})'

// Programs that share a file use different parts of it. Each has its own cache, because reading back unused parts takes
// time.
var KIND = isHook ? 'hook' : argv[0] === 'inbox' || argv[0] === 'bus' ? argv[0] : 'main'

// The use of this run, such as an event or a command. Each use is learned once. It is known only after a bundle is
// loaded.
var use = 'look'

var dist = path.join(__dirname, '..', 'dist')

// Files that are cached here. Node's own cache holds the others.
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
  // The cached code is damaged, or was made under other flags. The next run creates it again.
  if (script.cachedDataRejected) remove(keptAt)
  else process.once('exit', () => learn(keptAt, digest, kept, script))
  // Other files that require this one find it in `require.cache`. V8 adds hundreds of names faster to an object without
  // a prototype.
  var loaded = { id: file, filename: file, loaded: true, exports: Object.create(null) }
  require.cache[file] = loaded
  script.runInThisContext()(loaded.exports, requireFor(file), loaded, file, path.dirname(file))
  return loaded.exports
}

// Reads a file into the middle of its wrapper. Wrapping the text afterwards would copy it.
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

// Most modules that bundles require are Node's own, and need no search. The others are files of `dist/`.
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

// V8 copies cached code that is not aligned to this many bytes.
var ALIGNMENT = 8

// The file holds the digest of the bundle, the learned uses with a space on each side, a line feed, and the code.
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

// Runs at exit, when the program has answered and nobody waits for it.
function learn(keptAt, digest, kept, script) {
  if (kept.uses.indexOf(' ' + use + ' ') >= 0) return
  var code = script.createCachedData()
  // In a long run V8 discards functions that were not used for a while. Do not store less than before.
  if (kept.code && code.length < kept.code.length) return
  var head = digest + ' ' + (kept.uses.trim() + ' ' + use).trim() + ' '
  var length = Math.ceil((head.length + 1) / ALIGNMENT) * ALIGNMENT
  keep(keptAt, Buffer.concat([Buffer.from(head.padEnd(length - 1) + '\n'), code]))
}

// The file appears whole or not at all, even in a power failure: V8 would run half of one. The random name keeps apart
// processes of two containers, which may have the same PID.
function keep(keptAt, content) {
  var partial = keptAt + '.' + process.pid + '-' + Math.random().toString(36).slice(2)
  try {
    fs.writeFileSync(partial, content, { mode: 0o600, flush: true, flag: 'wx' })
    fs.renameSync(partial, keptAt)
  } catch (_error) {
    // The next run compiles the code again.
    remove(partial)
  }
}

function remove(file) {
  try {
    fs.unlinkSync(file)
  } catch (_error) {
    // The file is gone already, or we cannot write to the folder.
  }
}

var OFTEN = ['inbox push', 'inbox drain', 'bus post', 'bus read']

function loadAnswer(event) {
  use = event
  return load('hook.cjs').answerEvent
}

// A look needs no other file, and usually nothing comes after it.
function look() {
  if (isHook) return load('hook-look.cjs').runHook(argv, loadAnswer)
  return argv[0] === 'inbox' && argv[1] === 'drain' ? load('drain-look.cjs').lookForMail(argv) : undefined
}

function runOften() {
  use = argv[1]
  return load('often.cjs').runOften(argv)
}

// Tries the smallest program first. If it cannot answer, the next one is loaded.
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
