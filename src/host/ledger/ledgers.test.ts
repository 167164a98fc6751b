import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it, onTestFinished } from 'vitest'
import { configWith } from '../../../test/helpers/config-with.ts'
import { temporaryFolder } from '../../../test/helpers/temp.ts'
import { openEmbedded } from '../open/store.ts'
import { openLedgers } from './ledgers.ts'

async function open(ledger: Readonly<Record<string, unknown>> | undefined) {
  const home = temporaryFolder()
  const { store, wire } = await openEmbedded(join(home, 'postern.db'), {})
  onTestFinished(async () => {
    await wire.close()
    await store.close()
  })
  const ledgers = await openLedgers(store, ledger ? { config: configWith({ ledger }, home) } : {})
  onTestFinished(() => ledgers.ledger.close())
  return ledgers
}

const TESTNET = { network: 'testnet', operator: '0.0.1005' }

describe('the ledger of a deployment', () => {
  it('is a part of the store where nothing is set', async () => {
    for (const written of [undefined, {}, { network: 'local' }]) {
      const { ledger, settings, codec } = await open(written)
      expect(ledger).toMatchObject({ kind: 'local', network: 'local', isPublic: false })
      expect(settings.publish.default).toBe('full')
      expect(codec.sha256('')).toMatch(/^e3b0c442/)
    }
  })

  it('is a network elsewhere where one is set, and asks nobody before it is used', async () => {
    const keyFile = join(temporaryFolder(), 'operator.key')
    writeFileSync(keyFile, '07'.repeat(32), { mode: 0o600 })
    const { ledger, settings } = await open({ ...TESTNET, keyFile })
    expect(ledger).toMatchObject({ kind: 'hedera', network: 'testnet', isPublic: true, operator: '0.0.1005' })
    expect(ledger.newTransaction()).toMatch(/^0\.0\.1005@\d+\.\d{9}$/)
    expect(settings).not.toHaveProperty('hedera')
    await ledger.close()
  })

  it('is refused where its key cannot be used', async () => {
    const keyFile = join(temporaryFolder(), 'operator.key')
    await expect(open({ ...TESTNET, keyFile })).rejects.toMatchObject({ code: 'LEDGER_KEY_INVALID' })
    writeFileSync(keyFile, 'no key', { mode: 0o600 })
    await expect(open({ ...TESTNET, keyFile })).rejects.toMatchObject({ code: 'LEDGER_KEY_INVALID' })
  })

  it('is refused where what is set makes no sense', async () => {
    await expect(open({ network: 'elsewhere' })).rejects.toMatchObject({ code: 'CONFIG_INVALID' })
  })
})
