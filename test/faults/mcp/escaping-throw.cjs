'use strict'
// A planted fault: a call of agent_list throws where nobody catches.
process.stdin.on('data', (chunk) => {
  if (!chunk.includes('agent_list')) return
  setImmediate(() => {
    throw new Error('planted')
  })
})
