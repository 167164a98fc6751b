import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, readFileSync, statSync } from 'node:fs'
import { type AddressInfo, createServer, type Socket } from 'node:net'
import { join } from 'node:path'
import { describe, expect, inject, it, onTestFinished } from 'vitest'
import '../../helpers/global-postgres.ts'
import { askCli, cliEnvironment, runCli } from '../../faults/harness/cli.ts'
import { fire, idsIn, makePlace, type Place, push } from '../../faults/harness/hook.ts'
import { EXECUTABLE, postern } from '../../helpers/command.ts'
import { needsPostgres, needsPrograms } from '../../helpers/needs.ts'
import { HASTY_ENV, PATIENTLY } from '../../helpers/patience.ts'
import { type RedisServer, startRedis } from '../../helpers/redis.ts'
import { FULL } from '../../helpers/tier.ts'
import { startCourier } from '../../helpers/wires/courier.ts'
import { startNudgedAgent } from '../../helpers/wires/nudged.ts'
import { makeCluster } from '../../helpers/wires/pod.ts'
import { verifies } from '../verifies.ts'

const START = { fields: { source: 'startup' } }
const adminUrl = inject('postgresUrl')

function spooled({ project }: Place, session = 'ses-1'): string[] {
  const path = join(project, '.runtime', 'inject-queue', `${session}.jsonl`)
  const lines = existsSync(path) ? readFileSync(path, 'utf8').split('\n').filter(Boolean) : []
  return lines.map((line) => JSON.parse(line).id)
}

describe('a courier on the store of this machine', () => {
  it('is rung by the store itself, and ends when it is told to', async () => {
    verifies('S000.courier.wires')
    const place = await makePlace()
    await fire(place, 'SessionStart', START)
    const before = await push(place, 'before')
    const { home, project: cwd } = place
    const courier = await startCourier({ home, cwd, args: ['--agent', 'quinn'] })
    expect(spooled(place)).toEqual([before])
    const after = await push(place, 'after')
    await expect.poll(() => spooled(place), PATIENTLY).toEqual([before, after])
    expect(idsIn(await fire(place, 'UserPromptSubmit'))).toEqual([before, after])
    expect((await fire(place, 'UserPromptSubmit')).stdout).toBe('')
    expect(await courier.stop('SIGTERM')).toBe(0)
    const again = await startCourier({ home, cwd, args: ['--agent', 'quinn'] })
    expect(await again.stop('SIGINT')).toBe(130)
  })

  it('is the only one for its agent and session', async () => {
    const place = await makePlace()
    const { home, project: cwd } = place
    const first = await startCourier({ home, cwd, args: ['--agent', 'quinn'] })
    const second = await runCli(home, ['courier', '--agent', 'quinn'])
    expect(second.code).toBe(6)
    expect(second.stderr).toContain(`The process ${first.child.pid} is already the courier of quinn.`)
    await startCourier({ home, cwd, args: ['--agent', 'quinn', '--session', 'another'] })
    await first.stop('SIGKILL')
    await startCourier({ home, cwd, args: ['--agent', 'quinn'] })
  })

  it('wakes a program under "postern wake", which is given its mail once', async () => {
    verifies('S000.courier.nudge')
    const { home, project: cwd } = await makePlace()
    const session = ['--agent', 'quinn', '--session', 'wrapped']
    const wake = spawn(
      process.execPath,
      [EXECUTABLE, 'wake', ...session, '--nudge-port', '0', '--json', '--', 'sh', '-c', 'cat >> mail.txt'],
      { cwd, env: cliEnvironment(home), stdio: ['ignore', 'ignore', 'pipe'] },
    )
    onTestFinished(() => void wake.kill('SIGKILL'))
    let said = ''
    wake.stderr.on('data', (chunk) => {
      said += chunk
    })
    const address = () => /http:\/\/127\.0\.0\.1:\d+/.exec(said)?.[0]
    await expect.poll(address, PATIENTLY).toBeDefined()
    const courier = await startCourier({ home, cwd, args: [...session, '--nudge', address() ?? ''] })
    const mail = () => {
      const path = join(cwd, 'mail.txt')
      const text = existsSync(path) ? readFileSync(path, 'utf8') : ''
      return [...text.matchAll(/"content": "(.*)"/g)].map(([, content]) => content)
    }
    await push({ home, project: cwd }, 'first')
    await expect.poll(mail, PATIENTLY).toEqual(['first'])
    await push({ home, project: cwd }, 'second')
    await expect.poll(mail, PATIENTLY).toEqual(['first', 'second'])
    await courier.stop()
    expect(courier.news.filter(({ event }) => event === 'courier.nudge')).toEqual([])
  })

  it('makes a token of the home, which only its owner can read, and needs none where it is told one', async () => {
    const place = await makePlace()
    const { home, project: cwd } = place
    const agent = await startNudgedAgent()
    await push(place, 'for nobody in particular')
    const args = ['--agent', 'quinn', '--nudge', agent.url]
    const first = await startCourier({ home, cwd, args })
    await expect.poll(() => agent.nudges.length, PATIENTLY).toBeGreaterThan(0)
    await first.stop()
    const path = join(home, 'nudge-token')
    expect(agent.nudges[0]).toBe(readFileSync(path, 'utf8').trim())
    expect(statSync(path).mode & 0o777).toBe(0o600)
    const nudged = agent.nudges.length
    await startCourier({ home, cwd, args, env: { POSTERN_NUDGE_TOKEN: 'told' } })
    await expect.poll(() => agent.nudges.length, PATIENTLY).toBeGreaterThan(nudged)
    expect(agent.nudges.at(-1)).toBe('told')
  })

  it('starts and ends although the server that it asks says nothing', async () => {
    const { home, project: cwd } = await makePlace()
    const sockets: Socket[] = []
    const silent = createServer((socket) => void sockets.push(socket)).listen(0, '127.0.0.1')
    await once(silent, 'listening')
    onTestFinished(() => {
      for (const socket of sockets) socket.destroy()
      silent.close()
    })
    const env = {
      POSTERN_URL: `http://127.0.0.1:${(silent.address() as AddressInfo).port}`,
      POSTERN_TOKEN: 'x'.repeat(40),
      ...HASTY_ENV,
    }
    const courier = await startCourier({ home, cwd, args: ['--agent', 'quinn'], env })
    expect(courier.news.map(({ event }) => event)).toEqual(['courier.store.away', 'courier.started'])
    expect(await courier.stop()).toBe(0)
  })

  it('refuses what it cannot do, before it does anything', async () => {
    const { home } = await makePlace()
    const refusals: [string, ...string[]][] = [
      ['AGENT_NOT_FOUND', '--agent', 'nobody'],
      ['SESSION_INVALID', '--agent', 'quinn', '--session', '../x'],
      ['USAGE', '--agent', 'quinn', '--heartbeat', '10'],
      ['USAGE', '--agent', 'quinn', '--heartbeat', '0s'],
      ['WIRE_URL_INVALID', '--agent', 'quinn', '--wire', 'http://127.0.0.1'],
      ['VALUE_INVALID', '--agent', 'quinn', '--nudge', 'http://169.254.169.254'],
      ['VALUE_INVALID', '--agent', 'quinn', '--nudge', 'http://0x7f.1:7777'],
    ]
    for (const [code, ...words] of refusals) {
      const ran = await runCli(home, ['courier', ...words])
      expect(ran.stderr, words.join(' ')).toContain(`[${code}]`)
      expect(ran.code).not.toBe(0)
    }
    await askCli(home, ['agent', 'show', 'quinn'])
  })
})

describe('a courier of a server', needsPostgres(adminUrl), () => {
  it('is rung by the server where there is no wire, also after that was away', FULL, async () => {
    verifies('S000.courier.wires')
    const cluster = await makeCluster(adminUrl)
    const { pod, server } = cluster
    await fire(pod, 'SessionStart', START)
    const courier = await cluster.startCourier('--heartbeat', '1s')
    const first = await cluster.push('--to', 'quinn', 'first')
    await expect.poll(() => spooled(pod), PATIENTLY).toEqual([first])
    await server.stop('SIGKILL')
    await expect.poll(() => courier.news.map(({ event }) => event), PATIENTLY).toContain('courier.store.away')
    const { POSTERN_STORE: _, ...env } = process.env
    const store: string = JSON.parse(readFileSync(join(pod.home, 'config.json'), 'utf8')).store
    const port = new URL(server.url).port
    const back = spawn(process.execPath, [EXECUTABLE, 'serve', '--port', port, '--store', store], {
      env: { ...env, POSTERN_HOME: pod.home },
      stdio: 'ignore',
    })
    onTestFinished(() => void back.kill('SIGKILL'))
    await expect.poll(() => courier.news.map(({ event }) => event), PATIENTLY).toContain('courier.store.back')
    const { exit } = await postern({ home: pod.home, store }, 'inbox', 'push', '--to', 'quinn', 'second')
    expect(exit).toBe(0)
    await expect.poll(() => spooled(pod).length, PATIENTLY).toBe(2)
  })

  it('is rung through Redis', needsPrograms('redis-server', 'redis-cli'), async () => {
    verifies('S000.courier.wires')
    const redis = (await startRedis()) as RedisServer
    onTestFinished(() => redis.stop())
    const { pod, push: send, startCourier: start } = await makeCluster(adminUrl, '--wire', redis.url)
    await fire(pod, 'SessionStart', START)
    await start('--wire', redis.url)
    const first = await send('--to', 'quinn', 'first')
    await expect.poll(() => spooled(pod), PATIENTLY).toEqual([first])
    const second = await send('--broadcast', 'second')
    await expect.poll(() => spooled(pod), PATIENTLY).toEqual([first, second])
    expect(idsIn(await fire(pod, 'UserPromptSubmit'))).toEqual([first, second])
    return undefined
  })
})
