import { checkContainer, commandFault, OWN_IMAGE } from './check-container.ts'
import { readCompose } from './compose.ts'
import { at, type Container, node, nodes, texts } from './container.ts'
import { type Resource, readManifests, readResources } from './kubernetes.ts'

/** Every file of `deploy/` by its path in it. */
export type DeployFiles = ReadonlyMap<string, string>

/** What is true of our server, for the files to be compared with. */
export interface ServerFacts {
  readonly port: number
  /** Paths that need no token. */
  readonly openPaths: readonly string[]
  readonly version: string
}

const EXAMPLE = 'kubernetes/secrets.example.yaml'

/** Everything that is wrong with the files, in words; none where they may be used. */
export function checkDeployment(files: DeployFiles, facts: ServerFacts): string[] {
  const yaml = new Map([...files].filter(([path]) => path.startsWith('kubernetes/')))
  const resources = readResources(yaml)
  const manifests = readManifests(resources)
  const compose = readCompose(files.get('compose.yaml') ?? '', facts.port)
  const isOpen = (path: string) => facts.openPaths.includes(path)
  return [
    ...compose.faults,
    ...compose.containers.flatMap((container) => checkContainer(container, compose.places)),
    ...compose.published
      .filter(({ address, port }) => address !== '127.0.0.1' || port !== facts.port)
      .map(({ service, address, port }) => `compose.yaml: ${service}: ${address}:${port} is published`),
    ...compose.asked.filter((path) => !isOpen(path)).map((path) => `compose.yaml: no open page is at ${path}`),
    ...manifests.faults,
    ...manifests.containers.flatMap((container) => checkContainer(container, manifests.places)),
    ...manifests.probes
      .filter(({ path, port }) => !isOpen(path) || port !== facts.port)
      .map(({ where, path, port }) => `${where}: no open page is at ${port}${path}`),
    ...versionFaults([...compose.containers, ...manifests.containers], facts),
    ...secretFaults(resources, manifests.containers),
    ...kustomizationFaults(files, resources),
    ...dockerfileFaults(files),
  ]
}

function versionFaults(containers: readonly Container[], { version }: ServerFacts): string[] {
  return containers
    .filter(({ image }) => OWN_IMAGE.test(image) && image !== `postern:${version}`)
    .map(({ where, image }) => `${where}: ${image} is not this version`)
}

/** Secrets are examples without a value, and name everything that is asked for. */
function secretFaults(resources: readonly Resource[], containers: readonly Container[]): string[] {
  const secrets = resources.filter(({ kind }) => kind === 'Secret')
  const isNamed = (secret: string, key: string) =>
    secrets.some(({ name, body }) => name === secret && Object.hasOwn(node(body['stringData']), key))
  const filled = secrets.flatMap(({ where, body }) =>
    Object.entries(node(body['stringData']))
      .filter(([, value]) => !/^<[^<>]+>$/.test(String(value)))
      .map(([key]) => `${where}: ${key} has a value`),
  )
  const missing = containers.flatMap(({ where, env }) =>
    Object.values(env).flatMap((value) =>
      typeof value === 'string' || isNamed(value.secret, value.key)
        ? []
        : [`${where}: no example names ${value.secret}/${value.key}`],
    ),
  )
  return [...filled, ...missing, ...volumeFaults(resources, isNamed)]
}

/** Secrets that are mounted, key by key. */
function volumeFaults(resources: readonly Resource[], isNamed: (secret: string, key: string) => boolean): string[] {
  return resources.flatMap(({ where, body }) =>
    nodes(at(body, 'spec', 'template', 'spec', 'volumes')).flatMap((volume) =>
      nodes(at(volume, 'projected', 'sources')).flatMap(({ secret }) =>
        nodes(at(secret, 'items'))
          .filter(({ key }) => !isNamed(String(at(secret, 'name')), String(key)))
          .map(({ key }) => `${where}: no example names ${at(secret, 'name')}/${key}`),
      ),
    ),
  )
}

/** All manifests but the example are applied, and whatever they mount is made. */
function kustomizationFaults(files: DeployFiles, resources: readonly Resource[]): string[] {
  const [kustomization] = readResources(new Map([['kustomization.yaml', files.get('kustomization.yaml') ?? '']]))
  const listed = texts(at(kustomization?.body, 'resources'))
  const made = nodes(at(kustomization?.body, 'configMapGenerator'))
  const sources = made.flatMap((each) => texts(each['files']).map((file) => file.split('=').at(-1) ?? ''))
  const wanted = [...files.keys()].filter((path) => path.startsWith('kubernetes/') && path !== EXAMPLE)
  const asked = resources.flatMap(({ where, body }) =>
    [...JSON.stringify(body).matchAll(/"configMap":\{"name":"([^"]+)"/g)].map(([, name]) => ({ where, name })),
  )
  return [
    ...[...listed, ...sources].filter((path) => !files.has(path)).map((path) => `kustomization.yaml: no file ${path}`),
    ...wanted.filter((path) => !listed.includes(path)).map((path) => `kustomization.yaml: ${path} is left out`),
    ...asked
      .filter(({ name }) => !made.some((each) => each['name'] === name))
      .map(({ where, name }) => `${where}: nobody makes ${name}`),
  ]
}

function dockerfileFaults(files: DeployFiles): string[] {
  const lines = (files.get('Dockerfile') ?? '').split('\n')
  const after = (word: string) =>
    lines.filter((line) => line.startsWith(`${word} `)).map((line) => line.slice(word.length + 1))
  const loose = after('FROM').filter((image) => !/^node:\d+\.\d+\.\d+-slim(?: AS build)?$/.test(image))
  const command = commandFault(JSON.parse(after('CMD').at(-1) ?? '[]') as string[])
  return [
    ...loose.map((image) => `Dockerfile: the image ${image} is not pinned`),
    ...(/^[1-9]\d*:[1-9]\d*$/.test(after('USER').at(-1) ?? '') ? [] : ['Dockerfile: it runs as root']),
    ...(command ?? []).map((fault) => `Dockerfile: ${fault}`),
  ]
}
