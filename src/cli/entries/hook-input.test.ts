import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { cpSync, existsSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'
import { expect, it, onTestFinished } from 'vitest'
import { temporaryFolder } from '../../../test/helpers/temp.ts'

const SOURCES = fileURLToPath(new URL('../../', import.meta.url))

/** Reads an event and leaves, while a read of the descriptor 3 is under way that is never answered. */
const scriptFor = (sources: string) => `import { read, writeSync } from 'node:fs'
const { leave, readInput } = await import(${JSON.stringify(pathToFileURL(join(sources, 'cli/entries/hook-input.ts')).href)})
process.on('exit', (code) => writeSync(1, 'told of ' + code))
read(3, Buffer.alloc(1), 0, 1, null, () => {})
writeSync(1, (await readInput()) + ', ')
leave(3)`

/** A copy of the sources that lies where no addon is near. */
function copySources(): string {
  const folder = temporaryFolder()
  for (const room of ['cli/entries', 'kit/node'])
    cpSync(join(SOURCES, room), join(folder, 'src', room), { recursive: true })
  expect(existsSync(join(folder, 'native'))).toBe(false)
  return join(folder, 'src')
}

it.each([
  ['with the addon', () => SOURCES],
  ['without the addon', copySources],
])('exits with the code after the exit listeners have run, whatever is still under way (%s)', async (_, sourcesOf) => {
  const stdio = ['pipe', 'pipe', 'inherit', 'pipe'] as const
  const child = spawn(process.execPath, ['--input-type=module', '-e', scriptFor(sourcesOf())], { stdio: [...stdio] })
  onTestFinished(() => void child.kill('SIGKILL'))
  // Never closed, because a host may keep its end open.
  child.stdin?.write('an event')
  let text = ''
  child.stdout?.on('data', (chunk) => {
    text += chunk
  })
  expect((await once(child, 'exit'))[0]).toBe(3)
  await expect.poll(() => text).toBe('an event, told of 3')
})
