import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { expect, it, onTestFinished } from 'vitest'

const MODULE = new URL('./hook-input.ts', import.meta.url).href
const SCRIPT = `import { writeSync } from 'node:fs'
const { leave, readInput } = await import(${JSON.stringify(MODULE)})
process.on('exit', (code) => writeSync(1, 'told of ' + code))
setInterval(() => {}, 1_000)
writeSync(1, (await readInput()) + ', ')
leave(3)`

it('exits with the code after the exit listeners have run, whatever is still under way', async () => {
  const child = spawn(process.execPath, ['--input-type=module', '-e', SCRIPT], { stdio: ['pipe', 'pipe', 'inherit'] })
  onTestFinished(() => void child.kill('SIGKILL'))
  // Never closed, because a host may keep its end open.
  child.stdin.write('an event')
  let text = ''
  child.stdout.on('data', (chunk) => {
    text += chunk
  })
  expect((await once(child, 'close'))[0]).toBe(3)
  expect(text).toBe('an event, told of 3')
})
