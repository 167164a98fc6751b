'use strict'
// Runs commands one after another for warm-command.ts, in the order in which bin/postern.cjs looks for a program.
const { writeSync } = require('node:fs')
const { dirname, join } = require('node:path')
const { Readable } = require('node:stream')

const [, , executable, compiledCode] = process.argv
const dist = join(dirname(dirname(executable)), 'dist')
require('node:module').enableCompileCache(compiledCode)

process.once('disconnect', () => process.exit())
process.on('message', async ({ args, env, cwd, end }) => {
  for (const name of Object.keys(process.env)) delete process.env[name]
  Object.assign(process.env, env)
  process.chdir(cwd)
  process.argv = [process.execPath, executable, ...args]
  process.exitCode = undefined
  Object.defineProperty(process, 'stdin', { configurable: true, value: Readable.from([]) })
  const exit = await run(args)
  for (const descriptor of [1, 2]) write(descriptor, end)
  process.send({ exit })
})

function run(args) {
  return load('often').runOften(args) ?? load('main').runMain(args)
}

function load(program) {
  return require(join(dist, `${program}.cjs`))
}

function write(descriptor, text) {
  for (let rest = Buffer.from(text); rest.length > 0; ) {
    try {
      rest = rest.subarray(writeSync(descriptor, rest))
    } catch (error) {
      if (error.code !== 'EAGAIN') throw error
    }
  }
}
