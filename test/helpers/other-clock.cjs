'use strict'
// Preloaded into a process, this gives it another time: TEST_CLOCK_MS is added to its clock, as if somebody had changed
// that, and TEST_PASSED_MS to its clock and to the time for which the machine has been running, as if it had slept.
const fs = require('node:fs')

const [changedMs, passedMs] = ['TEST_CLOCK_MS', 'TEST_PASSED_MS'].map((name) => Number(process.env[name] ?? 0))

const { now } = Date
Date.now = () => now() + changedMs + passedMs

const { readFileSync } = fs
fs.readFileSync = (path, ...rest) => {
  const text = readFileSync(path, ...rest)
  return path === '/proc/uptime' ? `${Number.parseFloat(text) + passedMs / 1000} 0\n` : text
}
