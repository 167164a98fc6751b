'use strict'
// Preloaded into a process that waits long it has every timer of the process end in a tenth of its time. The clock stays
// as it is, because others write down times too.
const SPEED = 10

const { setTimeout } = globalThis
globalThis.setTimeout = (call, ms, ...args) => setTimeout(call, ms / SPEED, ...args)
