import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { type AddressInfo, createServer } from 'node:net'
import { expect, it, onTestFinished } from 'vitest'
import { EXECUTABLE } from '../helpers/command.ts'
import { fastFolder } from '../helpers/temp.ts'

const SERVING = ['serve --port 0', 'ledger serve --node-port 0 --mirror-port 0 --rest-port 0']

it.each(SERVING)('"postern %s" ends with the second signal though its store never answers', async (command) => {
  const silent = createServer().listen(0, '127.0.0.1')
  onTestFinished(() => void silent.close())
  await once(silent, 'listening')
  const store = `postgres://nobody@127.0.0.1:${(silent.address() as AddressInfo).port}/nothing`
  const home = fastFolder()
  const env = { PATH: process.env['PATH'] ?? '', HOME: home, POSTERN_HOME: home }
  const child = spawn(process.execPath, [EXECUTABLE, ...command.split(' '), '--store', store], { env })
  onTestFinished(() => void child.kill('SIGKILL'))
  await once(silent, 'connection')
  child.kill('SIGTERM')
  child.kill('SIGINT')
  expect(await once(child, 'exit')).toEqual([1, null])
})
