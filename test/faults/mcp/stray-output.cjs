'use strict'
// A planted fault: after the first call somebody writes to stdout what is no protocol, as a forgotten console.log would.
process.stdin.once('data', () => console.log('a line that somebody forgot'))
