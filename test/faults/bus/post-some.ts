/** Posts entries one after the other and says which were acknowledged: the victim of the crash points. */
import fs, { writeSync } from 'node:fs'
import { syncBuiltinESMExports } from 'node:module'
import { openBusShelf } from '../../../src/bus/file-bus-shelf.ts'

const [root = '', count = '0', rotateBytes = '0', plant = ''] = process.argv.slice(2)
const PLACE = { project_id: 'atlas', task_id: 'task-1' }
const shelf = openBusShelf({ root, rotateBytes: Number(rotateBytes) })

const say = writeSync
if (plant === 'late') writeAtTheEnd()
// A disk that takes no time at all is trusted after some entries, and then the process stands still for it.
if (plant === 'quick') process.uptime = () => 1

for (let nth = 0; nth < Number(count); nth++) {
  const body = Buffer.from(`entry ${nth}\n${'x'.repeat(300)}`)
  const { msg_id } = await shelf.append(PLACE, { ...PLACE, type: 'FACT', body })
  say(1, `${JSON.stringify({ key: `entry ${nth}`, msg_id })}\n`)
}
shelf.close()

/** Keeps what should be written until the process ends. */
function writeAtTheEnd(): void {
  const kept: { readonly fd: number; readonly bytes: Buffer }[] = []
  const { writeSync: write, closeSync } = fs
  const late = (fd: number, bytes: Buffer) => kept.push({ fd, bytes }) && bytes.length
  const end = (fd: number) => {
    for (const each of kept) if (each.fd === fd) write(fd, each.bytes)
    closeSync(fd)
  }
  Object.assign(fs, { writeSync: late, closeSync: end })
  syncBuiltinESMExports()
}
