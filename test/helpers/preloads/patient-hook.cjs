'use strict'
// Preloaded into every hook of a test whose subject is not the deadline. A busy machine can take longer than the deadline
// to start a process, and a late hook answers without its store. This gives a hook a minute, and changes nothing else:
// its age, its clock and the code that it runs are those of the product.
const TIMEOUTS = { answerMs: 60_000, storeMs: 50_000, checksMs: 50_000, reserveMs: 300 }
const INPUT_MS = 50_000

const BUNDLE = /[\\/]dist[\\/]hook-look\.cjs$/

if (process.argv[2] === 'hook') {
  // bin/postern.cjs runs a bundle as a script where it has a cache, and requires it elsewhere.
  const vm = require('node:vm')
  const { Script } = vm
  vm.Script = class extends Script {
    constructor(source, options) {
      super(source, options)
      this.isBundle = BUNDLE.test(options.filename)
    }
    runInThisContext(...args) {
      const run = super.runInThisContext(...args)
      if (!this.isBundle) return run
      return (exported, required, module, ...rest) => {
        run(exported, required, module, ...rest)
        module.exports = patient(module.exports)
      }
    }
  }

  const Module = require('node:module')
  const load = Module._load
  Module._load = (request, ...rest) => {
    const loaded = load(request, ...rest)
    return BUNDLE.test(request) ? patient(loaded) : loaded
  }
}

function patient({ runHook }) {
  const withTimeouts = (answer) => (run) => answer(run, TIMEOUTS)
  return { runHook: (argv, loadAnswer) => runHook(argv, (event) => withTimeouts(loadAnswer(event)), INPUT_MS) }
}
