import { existsSync } from 'node:fs'
import { expect, it, onTestFinished } from 'vitest'
import { configWith } from '../../../test/helpers/config-with.ts'
import { createSignal } from '../../../test/helpers/signal.ts'
import { temporaryFolder } from '../../../test/helpers/temp.ts'
import { openServed } from './serve.ts'

it('refuses a gate that cannot be used before it opens anything', async () => {
  const config = configWith({ gates: { decision: 'often' } }, temporaryFolder())
  await expect(openServed(config)).rejects.toMatchObject({ code: 'CONFIG_INVALID' })
  expect(existsSync(config.store)).toBe(false)
})

it('serves the rest where a setting of the local ledger cannot be used', async () => {
  const { postern, close } = await openServed(configWith({ ledger: { budgetPerDay: -1 } }, temporaryFolder()))
  onTestFinished(close)
  expect(await postern.agents.list()).toEqual([])
  await expect(postern.ledger.status()).rejects.toMatchObject({ code: 'CONFIG_INVALID' })
})

it('serves the rest and logs the reason where a network cannot be followed', async () => {
  const notes = createSignal<string>()
  const note = (event: string) => notes.fire(event)
  const { postern, close } = await openServed(configWith({ ledger: { network: 'testnet' } }, temporaryFolder()), {
    note,
  })
  onTestFinished(close)
  expect(await notes.fired).toBe('ledger.closed')
  expect(await postern.agents.list()).toEqual([])
})
