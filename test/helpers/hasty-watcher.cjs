'use strict'
// Preloaded into a host it has the watchers of its sessions look ten times as often.
if (process.argv[2] === 'hook' && process.argv.includes('--rewake')) require('./hasty-timers.cjs')
