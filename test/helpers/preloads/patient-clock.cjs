'use strict'
// Preloaded into a server whose deadlines are not the subject of a test, this makes its timers and its age 40 times as slow:
// a posted event has a minute instead of 1.5 s. The clock of the system stays as it is, because other processes read it too.
const SLOWNESS = 40

const { setTimeout } = globalThis
globalThis.setTimeout = (call, ms, ...args) => setTimeout(call, ms * SLOWNESS, ...args)

const uptime = process.uptime.bind(process)
process.uptime = () => uptime() / SLOWNESS
