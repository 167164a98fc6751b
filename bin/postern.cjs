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
process.on('SIGINT', () => {
  process.exit(130)
})

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
  if (cache) require('node:module').enableCompileCache(cache)
}

// What runs thousands of times a day is kept wholly compiled.
function load(name) {
  var file = path.join(__dirname, '..', 'dist', name)
  return cache ? require('./compiled.cjs').loadCompiled(file, cache) : require(file)
}

function loadAnswer() {
  useCache()
  return load('hook.cjs').answerEvent
}

// A look needs no other file, and mostly nothing comes after it.
function look() {
  if (isHook) return load('hook-peek.cjs').runHook(argv, loadAnswer)
  return argv[0] === 'inbox' && argv[1] === 'drain' ? load('peek.cjs').peek(argv) : undefined
}

// The smallest program that can answer is loaded first; what it leaves open the next one does.
function run() {
  if (argv.indexOf('--rewake') >= 0) useCache()
  var answer = look()
  if (answer !== undefined) return answer
  useCache()
  if (argv[0] === 'inbox') answer = load('hot.cjs').runHot(argv)
  return answer === undefined ? require('../dist/main.cjs').runMain(argv) : answer
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
