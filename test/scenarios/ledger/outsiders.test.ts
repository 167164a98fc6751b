import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { describe, expect, it, onTestFinished } from 'vitest'
import { openPostern } from '../../../src/host/open/open.ts'
import { type CommandOptions, EXECUTABLE } from '../../helpers/command.ts'
import { startServe } from '../../helpers/http-server.ts'
import { PATIENTLY } from '../../helpers/patience.ts'
import { fastFolder } from '../../helpers/temp.ts'
import { warmPostern, warmPosternJson } from '../../helpers/warm-command.ts'
import { verifies } from '../verifies.ts'
import { withPeople } from './people.ts'

interface Address {
  readonly nodes: Readonly<Record<string, string>>
  readonly mirror: string
  readonly mirrorGrpc: string
  readonly operator: { readonly account: string; readonly keyFile: string }
}

/** A command that goes on until the test ends. */
function start({ home }: CommandOptions, ...args: readonly string[]): ChildProcess {
  const child = spawn(process.execPath, [EXECUTABLE, ...args], {
    cwd: home,
    env: { PATH: process.env['PATH'] ?? '', HOME: home, POSTERN_HOME: home },
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  const exited = once(child, 'exit')
  onTestFinished(async () => {
    child.kill()
    await exited
  })
  return child
}

async function serveLedger(options: CommandOptions): Promise<Address> {
  const ports = ['--node-port', '0', '--mirror-port', '0', '--rest-port', '0']
  const child = start(options, 'ledger', 'serve', ...ports, '--json')
  const [line] = await once(createInterface({ input: child.stdout as NonNullable<typeof child.stdout> }), 'line')
  return JSON.parse(line)
}

/** Another deployment, for which our local ledger is a network that it reaches over the real protocol. */
async function outsideOf({ nodes, mirror, mirrorGrpc, operator }: Address): Promise<CommandOptions> {
  const home = fastFolder()
  const ledger = { network: 'ours', nodes, mirror, mirrorGrpc, operator: operator.account, keyFile: operator.keyFile }
  writeFileSync(join(home, 'config.json'), JSON.stringify({ ledger }))
  const { agents, close } = await openPostern({ home, upkeep: false })
  await agents.add({ id: 'otto' })
  await agents.add({ id: 'petra', kind: 'human', isOwner: true })
  await close()
  return { home }
}

interface Connection {
  readonly id: string
  readonly state: string
  readonly peerAccount: string
}

async function connectionOf(options: CommandOptions): Promise<Connection | undefined> {
  const { items } = await warmPosternJson<{ items: Connection[] }>(options, 'ledger', 'connections')
  return items[0]
}

interface Item {
  readonly subject: string
  readonly from_agent: string
  readonly verified: boolean
}

async function itemsOf(options: CommandOptions, agent: string): Promise<Item[]> {
  return (await warmPosternJson<{ items: Item[] }>(options, 'inbox', 'mine', '--agent', agent)).items
}

async function inboxOf(options: CommandOptions, agent: string): Promise<string[]> {
  return (await itemsOf(options, agent)).map(({ subject }) => subject)
}

/** Until it holds, within the time of the test. */
const until = (look: () => Promise<boolean>) => expect.poll(look, { ...PATIENTLY, interval: 300 }).toBe(true)

describe('an outsider who speaks the real protocol', () => {
  it('makes its topics, completes the handshake with an agent, and both exchange messages', async () => {
    verifies('S003.serve')
    const inside = await withPeople()
    await warmPostern(inside, 'ledger', 'setup')
    const { identity } = await warmPosternJson<{ identity: { inboundTopicId: string; account: string } }>(
      inside,
      ...['ledger', 'profile', 'quinn'],
    )
    const outside = await outsideOf(await serveLedger(inside))
    const setup = await warmPostern(outside, 'ledger', 'setup')
    expect(setup.stdout).toContain('(ledger ours: no public consensus)')
    expect(await warmPosternJson(outside, 'ledger', 'setup')).toMatchObject({
      agents: expect.arrayContaining([expect.objectContaining({ agent: 'otto', isNew: false })]),
      waiting: [],
    })
    start(outside, 'ledger', 'listen', '--json')

    await warmPostern(outside, 'ledger', 'connect', identity.inboundTopicId, '--agent', 'otto')
    await until(async () => (await connectionOf(inside))?.state === 'requested')
    expect(await inboxOf(inside, 'quinn')).toEqual([expect.stringContaining('asks for a connection')])

    const ours = (await connectionOf(inside)) ?? expect.fail('it was there')
    const accepted = await warmPostern(inside, 'ledger', 'accept', ours.id, '--agent', 'quinn')
    expect(accepted.stdout).toMatch(/^Open: con_/)
    await until(async () => (await connectionOf(outside))?.state === 'open')

    const theirs = (await connectionOf(outside)) ?? expect.fail('it was there')
    expect(theirs.peerAccount).toBe(identity.account)
    await warmPostern(outside, 'ledger', 'say', theirs.id, 'Hello from outside.', '--agent', 'otto')
    await until(async () => (await inboxOf(inside, 'quinn')).includes('Hello from outside.'))
    await warmPostern(inside, 'ledger', 'say', ours.id, 'Hello to you.', '--agent', 'quinn')
    await until(async () => (await inboxOf(outside, 'otto')).includes('Hello to you.'))
    expect(await itemsOf(outside, 'otto')).toContainEqual(
      expect.objectContaining({ subject: 'Hello to you.', from_agent: identity.account, verified: true }),
    )

    await warmPostern(inside, 'ledger', 'disconnect', ours.id, '--agent', 'quinn', '--reason', 'All is said')
    await until(async () => (await connectionOf(outside))?.state === 'closed')
    for (const options of [inside, outside]) {
      expect(await warmPostern(options, 'ledger', 'verify', '--all')).toMatchObject({ exit: 0, stderr: '' })
    }
  })

  it('has its own messages on the record: urgent ones at once, others when their entry comes, each once', async () => {
    const inside = await withPeople()
    const outside = await outsideOf(await serveLedger(inside))
    await warmPostern(outside, 'ledger', 'setup')
    const send = (subject: string, priority: string) =>
      warmPosternJson<{ messages: { in_inbox: boolean; parcel: string | null }[] }>(
        outside,
        ...['message', 'send', 'petra', '--subject', subject, '--priority', priority, '--agent', 'otto'],
      )
    expect((await send('urgent', '1')).messages).toMatchObject([{ in_inbox: true, parcel: expect.any(String) }])
    expect((await send('normal', '3')).messages).toMatchObject([{ in_inbox: false, parcel: expect.any(String) }])
    // The commands have published both themselves.
    expect(await warmPosternJson(outside, 'ledger', 'parcels')).toMatchObject({ items: [] })
    expect(await inboxOf(outside, 'petra')).toEqual(['urgent'])
    // A server listens as `ledger listen` does.
    await startServe(outside)
    await until(async () => (await inboxOf(outside, 'petra')).length > 1)
    expect((await inboxOf(outside, 'petra')).sort()).toEqual(['normal', 'urgent'])
  })
})
