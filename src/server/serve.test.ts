import { chmodSync, mkdirSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it, onTestFinished } from 'vitest'
import { temporaryFolder } from '../../test/helpers/temp.ts'
import { readConfig } from '../host/config/config.ts'
import { serve } from './serve.ts'

describe('the socket of a server', () => {
  it('lies where nobody else can come, whoever made the folder', async () => {
    const home = temporaryFolder()
    const folder = join(home, 'run')
    mkdirSync(folder)
    chmodSync(folder, 0o777)
    const config = readConfig({ flags: { home }, env: {}, cwd: home })
    const settings = { host: '127.0.0.1', port: 0, names: [], accessLog: false }
    const { socket, close } = await serve({ config, settings, note: () => {} })
    onTestFinished(close)
    expect(socket).toBe(join(folder, 'postern.sock'))
    expect([folder, socket ?? ''].map((path) => statSync(path).mode & 0o777)).toEqual([0o700, 0o600])
  })
})
