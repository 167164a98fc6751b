'use strict'
// Preloaded into a host, this makes the watchers of its sessions check ten times as often.
if (process.argv[2] === 'hook' && process.argv.includes('--rewake')) require('./hasty-timers.cjs')
