'use strict'
// Preloaded into commands that must begin at the same moment: each says that it has come, and waits for the word.
const { existsSync, writeFileSync } = require('node:fs')
const { join } = require('node:path')

const folder = process.env.POSTERN_TEST_BARRIER
const moment = new Int32Array(new SharedArrayBuffer(4))
const deadline = Date.now() + 120_000
writeFileSync(join(folder, `ready-${process.pid}`), '')
while (!existsSync(join(folder, 'go')) && Date.now() < deadline) Atomics.wait(moment, 0, 0, 5)
