'use strict'
// Preloaded into a process it has the clock of the process run ten times as fast, too. That is only for processes that no
// other process acts beside: times that others write down seem to lie in the past.
require('./hasty-timers.cjs')
const SPEED = 10

const { now } = Date
const startedAt = now()
Date.now = () => Math.floor(startedAt + (now() - startedAt) * SPEED)
