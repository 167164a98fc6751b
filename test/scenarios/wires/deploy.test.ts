import { execFileSync } from 'node:child_process'
import { globSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { describe, expect, it } from 'vitest'
import { readConfig } from '../../../src/host/config/config.ts'
import { SERVER } from '../../../src/host/config/server.ts'
import { VERSION } from '../../../src/model/version.ts'
import { healthEndpoints } from '../../../src/server/endpoints/health.ts'
import { findProgram } from '../../helpers/binaries.ts'
import { needsPrograms } from '../../helpers/needs.ts'
import { temporaryFolder } from '../../helpers/temp.ts'
import { checkDeployment, type DeployFiles, type ServerFacts } from '../../helpers/wires/deployment/check.ts'

const ROOT = fileURLToPath(new URL('../../../', import.meta.url))
const DEPLOY = join(ROOT, 'deploy')

function readFiles(): Map<string, string> {
  const paths = globSync(['*.yaml', 'kubernetes/*.yaml', 'Dockerfile', '*.json', '*.conf'], { cwd: DEPLOY })
  return new Map(paths.sort().map((path) => [path, readFileSync(join(DEPLOY, path), 'utf8')]))
}

/** The configuration of `deploy/server.json`, as a server would read it from its home. */
function serverConfig() {
  const home = temporaryFolder()
  writeFileSync(join(home, 'config.json'), readFileSync(join(DEPLOY, 'server.json')))
  return readConfig({ flags: { home }, env: {}, cwd: home })
}

/** Pages are only asked for their routes here. */
const pages = healthEndpoints({} as Parameters<typeof healthEndpoints>[0])

function facts(): ServerFacts {
  const { port } = serverConfig().get(SERVER)
  const openPaths = pages.filter(({ isOpen }) => isOpen).map(({ route }) => route.replace('GET ', ''))
  return { port, openPaths, version: VERSION }
}

describe('what is deployed', () => {
  it('fits what there is: commands, options, variables, ports, probes, volumes, labels and secrets', () => {
    expect(checkDeployment(readFiles(), facts())).toEqual([])
  })

  it('answers to the name by which agents call it', () => {
    const { names } = serverConfig().get(SERVER)
    const asked = [...readFiles().values()].flatMap((text) => [
      ...text.matchAll(/POSTERN_URL[^\n]*?http:\/\/([a-z0-9.-]+):/g),
    ])
    expect(asked.length).toBeGreaterThanOrEqual(4)
    expect(asked.filter(([, name = '']) => !names.includes(name))).toEqual([])
  })

  it('gives NATS a configuration that it accepts', needsPrograms('nats-server'), () => {
    const nats = findProgram('nats-server') as string
    const env = { ...process.env, NATS_SERVER_PASSWORD: 'p1', NATS_QUINN_PASSWORD: 'p2' }
    const check = (path: string) => execFileSync(nats, ['-t', '-c', path], { env, stdio: 'pipe' })
    check(join(DEPLOY, 'nats.conf'))
    const broken = join(temporaryFolder(), 'nats.conf')
    writeFileSync(broken, readFileSync(join(DEPLOY, 'nats.conf'), 'utf8').replace('max_payload', 'max_playload'))
    expect(() => check(broken)).toThrow(/max_playload/)
  })

  it('starts by a script that a plain shell understands', () => {
    execFileSync('sh', ['-n', join(DEPLOY, 'start.sh')])
  })
})

describe('a mistake in what is deployed', () => {
  const MISTAKES: readonly (readonly [file: string, good: string, bad: string, found: string])[] = [
    ['compose.yaml', 'command: [serve, --host', 'command: [server, --host', 'there is no command server'],
    ['compose.yaml', '--nudge-port', '--nudge-prot', 'There is no option --nudge-prot'],
    ['compose.yaml', 'POSTERN_WIRE: nats://server', 'POSTERN_WIRES: nats://server', 'we do not read POSTERN_WIRES'],
    ['compose.yaml', '@postgres:5432', '@postgres:5433', 'POSTERN_STORE leads to postgres:5433, where nobody listens'],
    ['compose.yaml', ':4747/readyz', ':4747/ready', 'no open page is at /ready'],
    ['compose.yaml', 'image: postgres:17.6', 'image: postgres:latest', 'the image postgres:latest is not pinned'],
    ['compose.yaml', '"127.0.0.1:4748:4747"', '"4748:4747"', 'server-2: :4747 is published'],
    ['compose.yaml', '"nats:/data"', '"natz:/data"', 'there is no volume natz'],
    ['compose.yaml', 'user: "999:999"', 'user: "0:0"', 'postgres: it runs as root'],
    ['compose.yaml', 'source: secret-key', 'source: secretkey', 'secretkey is not among the secrets'],
    ['compose.yaml', '${NATS_QUINN_PASSWORD:?see deploy/README.md}@', 'hunter2@', 'POSTERN_WIRE holds a secret'],
    ['kubernetes/server.yaml', 'args: [serve, --host', 'args: [serve, --hots', 'There is no option --hots'],
    ['kubernetes/server.yaml', 'path: /healthz', 'path: /metrics', 'no open page is at 4747/metrics'],
    ['kubernetes/server.yaml', 'containerPort: 4747', 'containerPort: 4748', 'no open page is at 4748/healthz'],
    ['kubernetes/server.yaml', 'targetPort: http', 'targetPort: web', 'nobody behind it has the port web'],
    ['kubernetes/server.yaml', 'image: postern:0', 'image: postern:9', 'is not this version'],
    [
      'kubernetes/server.yaml',
      'labels: { app.kubernetes.io/name: postern',
      'labels: { name: postern',
      'nobody has the',
    ],
    ['kubernetes/server.yaml', 'key: secret.key', 'key: secret', 'no example names postern/secret'],
    ['kubernetes/server.yaml', 'name: server-config', 'name: serve-config', 'nobody makes serve-config'],
    ['kubernetes/server.yaml', 'runAsNonRoot: true', 'runAsNonRoot: false', 'server: it runs as root'],
    ['kubernetes/agent.yaml', 'name: quinn, key: token', 'name: quinn, key: tokens', 'no example names quinn/tokens'],
    ['kubernetes/agent.yaml', '{ name: home, mount', '{ name: homes, mount', 'there is no volume homes'],
    ['kubernetes/secrets.example.yaml', '<password>', 'hunter2', 'password has a value'],
    ['kubernetes/network-policy.yaml', 'values: [server, agent]', 'values: [servers]', 'nobody has the labels'],
    ['kubernetes/network-policy.yaml', 'port: postgres', 'port: 5433', 'nobody behind it has the port 5433'],
    ['kustomization.yaml', '  - kubernetes/nats.yaml\n', '', 'kubernetes/nats.yaml is left out'],
    ['kustomization.yaml', 'files: [nats.conf]', 'files: [nats.cfg]', 'no file nats.cfg'],
    ['Dockerfile', 'USER 1000:1000', 'USER root', 'Dockerfile: it runs as root'],
    ['Dockerfile', 'FROM node:24.21.0-slim AS', 'FROM node:latest AS', 'the image node:latest AS build is not pinned'],
  ]

  it.each(MISTAKES)('in %s is found: %j written as %j', (file, good, bad, found) => {
    const files = readFiles()
    const text = files.get(file) ?? ''
    expect(text).toContain(good)
    expect(faultsWith(files, file, text.replace(good, bad))).toContainEqual(expect.stringContaining(found))
  })
})

function faultsWith(files: DeployFiles, file: string, text: string): string[] {
  return checkDeployment(new Map([...files, [file, text]]), facts())
}
