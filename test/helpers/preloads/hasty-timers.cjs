'use strict'
// Preloaded into a process that waits long, this makes every timer fire in a tenth of its time. The clock stays as it is,
// because other processes write times too.
const SPEED = 10

const { setTimeout } = globalThis
globalThis.setTimeout = (call, ms, ...args) => setTimeout(call, ms / SPEED, ...args)

module.exports = { SPEED }
