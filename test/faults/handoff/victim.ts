/** Does one thing with the folders of a project and says what was acknowledged, unless it is killed before. */

import { once } from 'node:events'
import fs, { readFileSync, writeFileSync } from 'node:fs'
import { syncBuiltinESMExports } from 'node:module'
import { parseArgs } from 'node:util'
import type { ItemDraft } from '../../../src/handoff/handoff-shelf.ts'
import { openHandoff } from '../../../src/handoff/open-handoff.ts'

const { values } = parseArgs({
  options: {
    root: { type: 'string', default: '' },
    act: { type: 'string', default: '' },
    now: { type: 'string', default: '0' },
    body: { type: 'string', default: 'left' },
    /** Names are the same in each run, so that it is known where to strike. */
    fixed: { type: 'boolean', default: false },
    /** Waits until somebody says so. */
    wait: { type: 'boolean', default: false },
    plant: { type: 'string', default: '' },
  },
})
const { root, act, body, plant } = values
const now = Number(values.now)
const { writeSync } = fs
const say = (value: unknown) => writeSync(1, `${JSON.stringify(value)}\n`)

if (values.fixed) {
  // Ids are made of bytes from here.
  const fs = process.getBuiltinModule('node:fs')
  const { readSync } = fs
  const fixed = (descriptor: number, bytes: Uint8Array, ...rest: []) =>
    fs.readlinkSync(`/proc/self/fd/${descriptor}`) === '/dev/urandom'
      ? bytes.fill(16).length
      : readSync(descriptor, bytes, ...rest)
  Object.assign(fs, { readSync: fixed })
  process.getBuiltinModule('node:module').syncBuiltinESMExports()
}
const PLANTS: Readonly<Record<string, () => void>> = {
  direct: writeDirectly,
  'unlink-first': unlinkFirst,
  'no-links': refuseLinks,
}
PLANTS[plant]?.()

const shelf = openHandoff({ sharedInbox: null, shared: false, now: () => now })
const place = await shelf.locate({ project: root })
const DRAFT: ItemDraft = {
  type: 'learning',
  priority: 'medium',
  from_session: 'victim',
  created: '2026-01-10T18:30:00Z',
  to: null,
  to_repo: null,
  gate: null,
  plan: null,
  body,
  isShared: false,
}

if (values.wait) {
  writeSync(1, 'ready\n')
  await once(process.stdin, 'data')
  process.stdin.destroy()
}
if (act === 'leave') {
  const { name } = plant === 'seed-names' ? leaveLikeTheSeed() : await shelf.leave(place, DRAFT)
  say({ name, body })
}
if (act === 'look') say((await shelf.look(place)).items.map(({ name }) => name))
if (act === 'archive')
  for (const { box, name, type } of (await shelf.look(place)).items)
    say({ name, path: await shelf.archive(place, { box, name }, type === null ? 'quarantine' : 'processed') })

/** `cat > inbox/$(date +%s)-learning.md`. */
function leaveLikeTheSeed(): { readonly name: string } {
  const name = `${Math.floor(now / 1_000)}-learning.md`
  writeFileSync(`${root}/inbox/${name}`, `---\ntype: learning\n---\n\n${body}\n`)
  return { name }
}

/** Writes under the name of the item at once, and not all of it in one go. */
function writeDirectly(): void {
  const { openSync, writeSync: write } = fs
  const finalOf = (path: string) => path.replace(/\/\.([^/]+)\.partial$/, '/$1')
  Object.assign(fs, {
    openSync: (path: string, ...rest: [number, number]) => openSync(finalOf(path), ...rest),
    writeSync: (fd: number, bytes: Buffer, from: number) =>
      write(fd, bytes, from, Math.ceil((bytes.length - from) / 2)),
    linkSync: () => {},
    unlinkSync: () => {},
  })
  syncBuiltinESMExports()
}

/** What FAT answers. */
function refuseLinks(): void {
  const refuse = () => {
    throw Object.assign(new Error('operation not permitted'), { code: 'EPERM' })
  }
  Object.assign(fs, { linkSync: refuse })
  syncBuiltinESMExports()
}

/** Takes the item out of the box before it has another place. */
function unlinkFirst(): void {
  const { unlinkSync } = fs
  Object.assign(fs, {
    linkSync: (from: string, to: string) => {
      const bytes = readFileSync(from)
      unlinkSync(from)
      writeFileSync(to, bytes, { flag: 'wx' })
    },
  })
  syncBuiltinESMExports()
}
