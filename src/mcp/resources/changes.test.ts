import { join } from 'node:path'
import { describe, expect, it, onTestFinished } from 'vitest'
import { openLocal } from '../../../test/helpers/open-local.ts'
import { createSignal } from '../../../test/helpers/signal.ts'
import { fastFolder } from '../../../test/helpers/temp.ts'
import type { Postern } from '../../model/postern.ts'
import type { Connection } from '../connection.ts'
import { createShown } from '../shown.ts'
import { createChanges } from './changes.ts'

const BUS = { project_id: 'p', task_id: 't' }

async function prepare() {
  const folder = fastFolder()
  const heart = await openLocal(join(folder, 'postern.db'), { upkeep: false, bus: { root: join(folder, 'buses') } })
  await heart.agents.add({ id: 'quinn' })
  await heart.agents.add({ id: 'mindy' })
  const postern = heart.as({ id: 'quinn', kind: 'ai', verified: true, via: 'mcp' })
  const told = createSignal<string>()
  const changes = createChanges(connectionOf(postern), told.fire)
  onTestFinished(async () => {
    changes.close()
    await heart.close()
  })
  /** Following begins a moment after it was asked for: what changes until then is changed again. */
  const until = async (uri: string, change: () => Promise<unknown>) => {
    await expect
      .poll(async () => {
        if (!told.values.includes(uri)) await change()
        return told.values.includes(uri)
      })
      .toBe(true)
  }
  return { heart, changes, told, until }
}

function connectionOf(postern: Postern): Connection {
  return {
    postern,
    identity: { caller: postern.caller, scope: { kind: 'agent', id: 'quinn' } },
    agent: 'quinn',
    tools: [],
    places: {},
    person: undefined,
    put: new Set(),
    shown: createShown(postern.inbox),
    sessionId: async () => undefined,
    gather: async () => {},
    nonce: () => 'abcdefghijkl',
  }
}

describe('what changes', () => {
  it('is told of an inbox and of the thread of a message', async () => {
    const { heart, changes, told, until } = await prepare()
    const { id } = await heart.inbox.push({ to: ['quinn'], content: 'first' })
    changes.want('postern://inbox/quinn')
    changes.want(`postern://thread/${id}`)
    await until('postern://inbox/quinn', () => heart.inbox.push({ to: ['quinn'], content: 'another' }))
    await until(`postern://thread/${id}`, () => heart.inbox.push({ to: ['quinn'], content: 'more', replyTo: id }))
    expect(new Set(told.values)).toEqual(new Set(['postern://inbox/quinn', `postern://thread/${id}`]))
  })

  it('is told of a bus, which is followed by itself', async () => {
    const { heart, changes, told, until } = await prepare()
    changes.want('postern://bus/p/t')
    await until('postern://bus/p/t', () => heart.bus.post({ ...BUS, body: 'x' }))
    await heart.inbox.push({ to: ['quinn'], content: 'nobody wants to know' })
    expect(new Set(told.values)).toEqual(new Set(['postern://bus/p/t']))
  })

  it('is not told of what nobody wants, of others, or of what is no address', async () => {
    const { heart, changes, told } = await prepare()
    for (const uri of ['postern://inbox/mindy', 'file:///x', 'postern://', 'postern://inbox/quinn']) changes.want(uri)
    changes.want('postern://decision/dec_none')
    // What has changed before the first look nobody knows, so that each of them is told of once.
    const first = ['postern://inbox/mindy', 'postern://inbox/quinn', 'postern://decision/dec_none']
    expect(await told.times(first.length)).toEqual(first)
    await heart.inbox.push({ to: ['mindy'], content: 'for mindy' })
    const next = told.next()
    await heart.inbox.push({ to: ['quinn'], content: 'for quinn' })
    await next
    expect(new Set(told.values.slice(first.length))).toEqual(new Set(['postern://inbox/quinn']))
  })

  it('is told under the address as it was written, by whatever message a thread is named', async () => {
    const { heart, changes, told } = await prepare()
    const { id } = await heart.inbox.push({ to: ['quinn'], content: 'first' })
    const reply = await heart.inbox.push({ to: ['quinn'], content: 'second', replyTo: id })
    const uris = [`postern://thread/${reply.id}`, 'postern://inbox/%71uinn']
    for (const uri of uris) expect(changes.want(uri)).toBe(true)
    await told.times(uris.length)
    await expect
      .poll(async () => {
        await heart.inbox.push({ to: ['quinn'], content: 'third', replyTo: id })
        return [...new Set(told.values.slice(uris.length))].sort()
      })
      .toEqual(uris.toSorted())
  })

  it('is said not to be followed where that is one bus too many, and the rest is followed all the same', async () => {
    const { heart, changes, told } = await prepare()
    const wants = Array.from({ length: 21 }, (_, at) => changes.want(`postern://bus/p/t${at}`))
    expect(wants).toEqual([...Array(20).fill(true), false])
    const uri = 'postern://inbox/quinn'
    expect(changes.want(uri)).toBe(true)
    await told.times(21)
    const next = told.next()
    await heart.inbox.push({ to: ['quinn'], content: 'mail' })
    expect(await next).toBe(uri)
    changes.unwant('postern://bus/p/t0')
    expect(changes.want('postern://bus/p/t20')).toBe(true)
  })

  it('is told of no more once nobody wants to know, and again when somebody does', async () => {
    const { heart, changes, told, until } = await prepare()
    const uri = 'postern://inbox/quinn'
    changes.want(uri)
    await until(uri, () => heart.inbox.push({ to: ['quinn'], content: 'one' }))
    changes.unwant(uri)
    const before = told.values.length
    changes.want('postern://bus/p/t')
    await heart.inbox.push({ to: ['quinn'], content: 'two' })
    await until('postern://bus/p/t', () => heart.bus.post({ ...BUS, body: 'x' }))
    expect(told.values.slice(before).filter((each) => each === uri)).toEqual([])
    changes.want(uri)
    const next = told.next()
    await expect
      .poll(async () => {
        await heart.inbox.push({ to: ['quinn'], content: 'three' })
        return told.values.slice(before).includes(uri)
      })
      .toBe(true)
    await next
  })
})
