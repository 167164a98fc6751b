import { parse } from 'yaml'
import { at, type Container, type Node, node, nodes, type Place, texts } from './container.ts'

const FILE = 'compose.yaml'

/** A compose file, as far as it is checked. */
export interface Compose {
  readonly containers: readonly Container[]
  readonly places: readonly Place[]
  /** Ports of containers that are open to this machine, by service. */
  readonly published: readonly { readonly service: string; readonly address: string; readonly port: number }[]
  /** Paths that health checks ask for. */
  readonly asked: readonly string[]
  readonly faults: readonly string[]
}

/** Where those listen that are not ours. */
const PORTS: Readonly<Record<string, number>> = { postgres: 5432, nats: 4222 }

export function readCompose(text: string, ownPort: number): Compose {
  const file = node(parse(text, { merge: true }))
  const services = Object.entries(node(file['services'])).map(([name, service]) => [name, node(service)] as const)
  return {
    containers: services.map(([name, service]) => readService(name, service, file)),
    places: services.flatMap(([name, service]) => placesOf(name, service, ownPort)),
    published: services.flatMap(([service, { ports }]) =>
      texts(ports).map((port) => {
        const [, address = '', inner] = /^(?:(.*):)?\d+:(\d+)$/.exec(port) ?? []
        return { service, address, port: Number(inner) }
      }),
    ),
    asked: services.flatMap(([, service]) =>
      [
        ...texts(at(service, 'healthcheck', 'test'))
          .join(' ')
          .matchAll(/http:\/\/[^/]+(\/[a-z]+)/g),
      ].map(([, path = '']) => path),
    ),
    faults: services.flatMap(([name, service]) => danglingOf(name, service, file)),
  }
}

function readService(name: string, service: Node, file: Node): Container {
  return {
    where: `${FILE}: ${name}`,
    image: String(service['image'] ?? ''),
    words: texts(service['command']),
    env: Object.fromEntries(Object.entries(node(service['environment'])).map(([key, value]) => [key, String(value)])),
    user: service['user'] === undefined ? undefined : Number.parseInt(String(service['user']), 10),
    mounts: texts(service['volumes']).map((volume) => volume.split(':')[0] ?? ''),
    volumes: Object.keys(node(file['volumes'])),
  }
}

function placesOf(name: string, service: Node, ownPort: number): Place[] {
  const port = PORTS[name] ?? (texts(service['command'])[0] === 'serve' ? ownPort : undefined)
  if (port === undefined) return []
  const aliases = texts(at(service, 'networks', 'default', 'aliases'))
  return [name, ...aliases].map((each) => ({ name: each, port }))
}

/** Services, configs and secrets that are named and are not there. */
function danglingOf(name: string, service: Node, file: Node): string[] {
  const modes = [service['network_mode'], service['pid']].map(String).filter((mode) => mode.startsWith('service:'))
  const named = {
    services: [...Object.keys(node(service['depends_on'])), ...modes.map((mode) => mode.slice('service:'.length))],
    configs: nodes(service['configs']).map(({ source }) => String(source)),
    secrets: nodes(service['secrets']).map(({ source }) => String(source)),
  }
  return Object.entries(named).flatMap(([kind, names]) =>
    names
      .filter((each) => !Object.hasOwn(node(file[kind]), each))
      .map((each) => `${FILE}: ${name}: ${each} is not among the ${kind}`),
  )
}
