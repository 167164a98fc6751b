import { readdirSync, statSync, utimesSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { temporaryFolder } from '../../test/helpers/temp.ts'
import { NO_SHADOW, openShadow, type Shadow } from '../host/shadow.ts'
import { findBypasses } from './shadows.ts'

const OWNER = { agent: 'quinn', sessionId: 'ses-1' }
const DAY_MS = 24 * 60 * 60 * 1000
const BYPASSED: Shadow = {
  folder: null,
  store: null,
  place: null,
  gates: [],
  blocks: 1,
  counted: 2,
  bypassed: ['gate_1'],
  owedTo: { id: null, place: null },
  changedAt: expect.any(Number),
}

it('is read back as it was written, by its own agent and session only', () => {
  const home = temporaryFolder()
  openShadow(home, OWNER).write(BYPASSED)
  expect(openShadow(home, OWNER).read()).toEqual(BYPASSED)
  for (const other of [
    { ...OWNER, agent: 'robin' },
    { ...OWNER, sessionId: 'ses-2' },
    { agent: 'quinn.ses', sessionId: '-1' },
  ])
    expect(openShadow(home, other).read()).toEqual(NO_SHADOW)
})

it('is a private file of its folder, whatever agent and session are called', () => {
  const home = temporaryFolder()
  const owners = ['../../x', '..', 'a/b', '\0', '%'.repeat(300), ''].flatMap((odd) => [
    { agent: odd, sessionId: 'ses-1' },
    { agent: 'quinn', sessionId: odd },
  ])
  for (const owner of owners) {
    openShadow(home, owner).write(BYPASSED)
    expect(openShadow(home, owner).read()).toEqual(BYPASSED)
  }
  expect(readdirSync(home)).toEqual(['shadow'])
  const files = readdirSync(join(home, 'shadow'))
  expect(files).toHaveLength(owners.length)
  for (const file of files) expect(statSync(join(home, 'shadow', file)).mode & 0o777).toBe(0o600)
})

it('goes where there is nothing to know', () => {
  const home = temporaryFolder()
  const shadow = openShadow(home, OWNER)
  shadow.write(BYPASSED)
  shadow.write(NO_SHADOW)
  expect(readdirSync(join(home, 'shadow'))).toEqual([])
})

it('is read back whatever the store has counted', () => {
  const home = temporaryFolder()
  openShadow(home, OWNER).write({ ...BYPASSED, counted: 2 ** 31 })
  expect(openShadow(home, OWNER).read()).toEqual({ ...BYPASSED, counted: 1_000 })
})

it('keeps what the store had counted although no gate is open', () => {
  const home = temporaryFolder()
  openShadow(home, OWNER).write({ ...NO_SHADOW, counted: 2 })
  expect(openShadow(home, OWNER).read()).toMatchObject({ counted: 2 })
})

it('is as good as none where somebody else has written it, or it cannot be written', () => {
  const home = temporaryFolder()
  openShadow(home, OWNER).write(BYPASSED)
  const [file = ''] = readdirSync(join(home, 'shadow'))
  for (const text of ['', 'null', '[]', '{"gates":7}', '{"gates":[{}],"blocks":0,"bypassed":[]}', '{"gates":[null]}']) {
    writeFileSync(join(home, 'shadow', file), text)
    expect(openShadow(home, OWNER).read()).toEqual(NO_SHADOW)
    expect(findBypasses(home, Date.now())).toEqual([])
  }
  writeFileSync(join(home, 'file'), '')
  const nowhere = openShadow(join(home, 'file'), OWNER)
  nowhere.write(BYPASSED)
  expect(nowhere.read()).toEqual(NO_SHADOW)
})

it('tells of passes in all sessions, and is removed when nobody has needed it for long', () => {
  const home = temporaryFolder()
  const held = { ...NO_SHADOW, blocks: 1 }
  openShadow(home, OWNER).write(BYPASSED)
  openShadow(home, { ...OWNER, sessionId: 'ses-2' }).write(held)
  expect(findBypasses(home, Date.now())).toEqual([{ ...OWNER, ...BYPASSED }])
  for (const file of readdirSync(join(home, 'shadow'))) utimesSync(join(home, 'shadow', file), 1, 1)
  expect(findBypasses(home, 31 * DAY_MS + 1_000)).toHaveLength(1)
  expect(readdirSync(join(home, 'shadow'))).toHaveLength(1)
})
