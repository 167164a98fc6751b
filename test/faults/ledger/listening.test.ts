import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it, onTestFinished } from 'vitest'
import { listenOnce } from '../../../src/core/ledger/listen.ts'
import { openHederaLedger } from '../../../src/ledger/hedera/hedera-ledger.ts'
import type { Ledger } from '../../../src/ledger/ledger.ts'
import { startLedgerListener } from '../../../src/loops/ledger/ledger-listener.ts'
import { PosternError } from '../../../src/model/errors.ts'
import { formatHcs10 } from '../../../src/model/ledger/hcs10.ts'
import { openSqliteStore } from '../../../src/store/sqlite/store.ts'
import { caller } from '../../conformance/suite.ts'
import { createDeployment } from '../../helpers/ledger/deployment.ts'
import { openElsewhere } from '../../helpers/ledger/elsewhere.ts'
import { openFaultProxy } from '../../helpers/ledger/fault-proxy.ts'
import { startLoopbackLedger } from '../../helpers/ledger/loopback.ts'
import { PATIENTLY } from '../../helpers/patience.ts'
import { fastFolder } from '../../helpers/temp.ts'
import { FULL } from '../../helpers/tier.ts'
import { verifies } from '../../scenarios/verifies.ts'

const TIMES = { callMs: 2_000, patienceMs: 1_500, minWaitMs: 20, maxWaitMs: 100 }
const STRANGER = '0.0.777777'

/** Two servers on one store, and a network whose wires a test can cut. */
async function openServers() {
  const network = await startLoopbackLedger()
  onTestFinished(() => network.close())
  const proxy = await openFaultProxy(network)
  onTestFinished(() => proxy.close())
  const { account, keyFile } = proxy.operator
  const keys = { [account]: () => readFileSync(keyFile, 'utf8') }
  const path = join(fastFolder(), 'postern.db')
  const open = async () => {
    const { nodes, mirror, mirrorGrpc } = proxy
    const options = { network: 'loopback', isPublic: false, operator: account, keys, nodes, mirror, mirrorGrpc }
    const ledger = openHederaLedger({ ...options, times: TIMES })
    onTestFinished(() => ledger.close())
    const store = await openSqliteStore({ path, now: Date.now, random: Math.random })
    onTestFinished(() => store.close())
    const us = createDeployment(store, ledger)
    const start = () => {
      const listening = startLedgerListener(us.ctx)
      onTestFinished(() => listening.close())
      return listening
    }
    return { us, start }
  }
  return { network, proxy, open }
}

it('brings everything once through a network that fails in every way, and over to another server', FULL, async () => {
  verifies('S003.mirror', 'S003.publisher')
  const { network, proxy, open } = await openServers()
  const [one, other] = [await open(), await open()]
  const { us } = one
  for (const id of ['quinn', 'mindy']) await us.postern.agents.add({ id })
  await us.postern.ledger.setup({})
  const first = one.start()
  await expect.poll(() => us.postern.ledger.topics({ role: 'inbound' }), PATIENTLY).toHaveLength(3)
  const second = other.start()
  expect(first.status().isLeading).toBe(true)
  const { inboundTopicId } = await us.identity('mindy')
  const subjects = async () =>
    (await us.postern.inbox.list({ agent: 'mindy', limit: 100 })).items.map(
      ({ subject, content }) => subject ?? content,
    )
  const quinn = us.postern.as(caller('quinn'))
  const wanted: string[] = []
  const send = async (subject: string) => {
    wanted.push(subject)
    await quinn.messages.send({ to_agent: 'mindy', message_type: 'fyi', subject })
  }

  proxy.nodeFaults.lostAnswers = 2
  proxy.nodeFaults.refusals = 2
  await send('lost answers')
  proxy.mirrorFaults.tooMany = 3
  proxy.mirrorFaults.retryAfter = 0
  await send('too many')
  proxy.mirrorFaults.cutPages = 2
  proxy.mirrorFaults.cutStreamAfter = 1
  await send('cut')
  await expect.poll(subjects, PATIENTLY).toEqual(wanted)

  proxy.mirrorFaults.isSilent = true
  proxy.mirrorFaults.isSwapped = true
  for (const at of [4, 5, 6, 7]) proxy.mirrorFaults.repeated.add(at)
  proxy.mirrorFaults.missing.add(5)
  for (let at = 4; at <= 7; at++) {
    const data = `stranger ${at}`
    const text = formatHcs10({ op: 'message', operator_id: `0.0.1@${STRANGER}`, data })
    const transaction = network.ledger.newTransaction(STRANGER)
    await network.ledger.submit({
      topicId: inboundTopicId,
      message: Buffer.from(text),
      payer: STRANGER,
      memo: '',
      mayChunk: false,
      transaction,
    })
    wanted.push(data)
  }
  await expect.poll(() => first.status().troubled, PATIENTLY).toEqual([{ topic: inboundTopicId, trouble: 'gap' }])
  expect(await subjects()).toEqual(wanted.slice(0, 4))
  proxy.mirrorFaults.missing.clear()
  await expect.poll(subjects, PATIENTLY).toEqual(wanted)
  await expect.poll(() => us.notes.map((note) => note.split(' ')[0]), PATIENTLY).toContain('ledger.whole')

  expect(second.status().isLeading).toBe(false)
  await first.close()
  await first.close()
  await send('after the first has gone')
  await expect.poll(subjects, PATIENTLY).toEqual(wanted)
  expect(second.status().isLeading).toBe(true)
  expect(await listenOnce(us.ctx, us.ledgers, inboundTopicId)).toMatchObject({ entries: 0, state: 'done' })
})

it('follows the other topics while one cannot be read', async () => {
  const elsewhere = await openElsewhere()
  onTestFinished(() => elsewhere.close())
  const store = await openSqliteStore({
    path: join(fastFolder(), 'postern.db'),
    now: Date.now,
    random: Math.random,
  })
  onTestFinished(() => store.close())
  const setup = createDeployment(store, elsewhere.ledger)
  for (const id of ['quinn', 'mindy']) await setup.postern.agents.add({ id })
  await setup.postern.ledger.setup({})
  await setup.settle()
  const bad = (await setup.identity('quinn')).inboundTopicId
  const good = (await setup.identity('mindy')).inboundTopicId
  let asked = 0
  const readAfter: Ledger['readAfter'] = async (params) => {
    if (params.topicId !== bad) return elsewhere.ledger.readAfter(params)
    asked++
    throw new PosternError('LEDGER_UNREACHABLE', { network: 'testnet', reason: 'it talks nonsense' })
  }
  const us = createDeployment(store, { ...elsewhere.ledger, readAfter })
  const listening = startLedgerListener(us.ctx)
  onTestFinished(() => listening.close())
  await expect.poll(() => asked, PATIENTLY).toBeGreaterThan(2)
  const stranger = await elsewhere.outsider()
  await stranger.say(good, { op: 'message', operator_id: stranger.operatorId, data: 'Hello' })
  await expect
    .poll(async () => (await us.postern.inbox.list({ agent: 'mindy' })).items.map(({ content }) => content), PATIENTLY)
    .toEqual(['Hello'])
  expect(us.notes.filter((note) => note.startsWith('ledger.look_failed'))).toHaveLength(1)
  expect(us.notes.filter((note) => note.startsWith('ledger.failed'))).toEqual([])
})
