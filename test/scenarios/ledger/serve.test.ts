import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it, onTestFinished } from 'vitest'
import { postern } from '../../helpers/command.ts'
import { type LedgerServeProcess, startLedgerServe } from '../../helpers/ledger/serve-process.ts'
import { fastFolder } from '../../helpers/temp.ts'

const ANY = ['--node-port', '0', '--mirror-port', '0', '--rest-port', '0'] as const

async function serve(home: string): Promise<LedgerServeProcess> {
  const served = await startLedgerServe(home)
  onTestFinished(async () => void (await served.stop('SIGKILL')))
  return served
}

describe('"postern ledger serve"', () => {
  it('says where it is and what it is, and ends well when it is told to', async () => {
    const served = await serve(fastFolder())
    expect(served.ledger).toEqual({ kind: 'local', network: 'local', public_consensus: false })
    expect(Object.values(served.nodes)).toEqual(['0.0.3'])
    expect((await fetch(`${served.mirror}/api/v1/accounts/${served.operator.account}`)).status).toBe(200)
    expect(await served.stop('SIGTERM')).toBe(0)
    expect(served.stderr()).toBe('')
  })

  it('keeps the key of its operator', async () => {
    const home = fastFolder()
    const keyOf = async ({ mirror, operator }: LedgerServeProcess) =>
      (await (await fetch(`${mirror}/api/v1/accounts/${operator.account}`)).json()) as { key: unknown }
    const first = await serve(home)
    const { key } = await keyOf(first)
    await first.stop()
    expect((await keyOf(await serve(home))).key).toEqual(key)
  })

  it('refuses a port that somebody else has, and leaves nothing behind', async () => {
    const home = fastFolder()
    const [address = ''] = Object.keys((await serve(home)).nodes)
    const taken = ['--node-port', address.split(':')[1] ?? '', '--mirror-port', '0', '--rest-port', '0']
    const refused = await postern({ home }, 'ledger', 'serve', ...taken)
    expect(refused.exit).not.toBe(0)
    expect(refused.stderr).toContain('ADDRESS_IN_USE')
  })

  it.each(['65536', '-1', 'http', ''])('refuses the port "%s"', async (port) => {
    const refused = await postern({ home: fastFolder() }, 'ledger', 'serve', `--rest-port=${port}`)
    expect(refused).toMatchObject({ exit: 64, stdout: '' })
    expect(refused.stderr).toContain('--rest-port takes a number from 0 to 65535')
  })

  it('refuses to serve a ledger that is elsewhere', async () => {
    const home = fastFolder()
    const ledger = {
      network: 'ours',
      nodes: { '127.0.0.1:9': '0.0.3' },
      mirror: 'http://127.0.0.1:9',
      operator: '0.0.2',
    }
    writeFileSync(join(home, 'operator.key'), `${'01'.repeat(32)}\n`, { mode: 0o600 })
    const config = { ledger: { ...ledger, keyFile: join(home, 'operator.key') } }
    writeFileSync(join(home, 'config.json'), JSON.stringify(config))
    const refused = await postern({ home }, 'ledger', 'serve', ...ANY)
    expect(refused).toMatchObject({ exit: 64, stdout: '' })
    expect(refused.stderr).toContain('The ledger of this home is ours')
  })
})
