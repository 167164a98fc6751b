import { parseAllDocuments } from 'yaml'
import { at, type Container, type EnvValue, type Node, node, nodes, type Place } from './container.ts'

/** Manifests, as far as they are checked. */
export interface Manifests {
  readonly containers: readonly Container[]
  readonly places: readonly Place[]
  /** Paths of probes, with the number of the port they go to. */
  readonly probes: readonly { readonly where: string; readonly path: string; readonly port: number | undefined }[]
  readonly faults: readonly string[]
}

export interface Resource {
  readonly where: string
  readonly kind: string
  readonly name: string
  readonly body: Node
}

interface Pod {
  readonly where: string
  readonly labels: Node
  readonly spec: Node
  readonly volumes: readonly string[]
  readonly ports: ReadonlyMap<string, number>
}

export function readResources(files: ReadonlyMap<string, string>): Resource[] {
  return [...files].flatMap(([file, text]) =>
    parseAllDocuments(text).map((document) => {
      if (document.errors.length > 0) throw document.errors[0]
      const body = node(document.toJS())
      const [kind, name] = [String(body['kind']), String(at(body, 'metadata', 'name'))]
      return { where: `${file}: ${kind} ${name}`, kind, name, body }
    }),
  )
}

export function readManifests(resources: readonly Resource[]): Manifests {
  const pods = resources.filter(({ kind }) => kind === 'Deployment' || kind === 'StatefulSet').map(readPod)
  return {
    containers: pods.flatMap(readContainers),
    places: resources.filter(({ kind }) => kind === 'Service').flatMap((service) => readPlaces(service, pods)),
    probes: pods.flatMap(readProbes),
    faults: resources.flatMap((resource) => selectorFaults(resource, pods)),
  }
}

function readPod({ where, body }: Resource): Pod {
  const spec = node(at(body, 'spec', 'template', 'spec'))
  const claims = nodes(at(body, 'spec', 'volumeClaimTemplates')).map((claim) => String(at(claim, 'metadata', 'name')))
  const ports = nodes(spec['containers']).flatMap(({ ports: named }) => nodes(named))
  return {
    where,
    labels: node(at(body, 'spec', 'template', 'metadata', 'labels')),
    spec,
    volumes: [...nodes(spec['volumes']).map(({ name }) => String(name)), ...claims],
    ports: new Map(ports.map(({ name, containerPort }) => [String(name), Number(containerPort)])),
  }
}

function readContainers({ where, spec, volumes }: Pod): Container[] {
  const security = node(spec['securityContext'])
  return nodes(spec['containers']).map((container) => ({
    where: `${where}: ${container['name']}`,
    image: String(container['image'] ?? ''),
    words: ((container['args'] ?? []) as unknown[]).map(String),
    env: Object.fromEntries(nodes(container['env']).map((variable) => [String(variable['name']), envValue(variable)])),
    user: security['runAsNonRoot'] === true ? Number(security['runAsUser']) : 0,
    mounts: nodes(container['volumeMounts']).map(({ name }) => String(name)),
    volumes,
  }))
}

function envValue(variable: Node): EnvValue {
  const ref = at(variable, 'valueFrom', 'secretKeyRef')
  return ref === undefined
    ? String(variable['value'] ?? '')
    : { secret: String(at(ref, 'name')), key: String(at(ref, 'key')) }
}

function readPlaces({ name, body }: Resource, pods: readonly Pod[]): Place[] {
  const behind = pods.filter(({ labels }) => isSelected(at(body, 'spec', 'selector'), labels))
  return nodes(at(body, 'spec', 'ports')).flatMap(({ port, targetPort }) =>
    behind.some(({ ports }) => ports.has(String(targetPort))) ? [{ name, port: Number(port) }] : [],
  )
}

function readProbes({ where, spec, ports }: Pod) {
  return nodes(spec['containers']).flatMap((container) =>
    ['startupProbe', 'livenessProbe', 'readinessProbe'].flatMap((kind) => {
      const get = at(container, kind, 'httpGet')
      return get === undefined
        ? []
        : [{ where: `${where}: ${kind}`, path: String(at(get, 'path')), port: ports.get(String(at(get, 'port'))) }]
    }),
  )
}

/** Whoever selects must select somebody, by ports that they have. */
function selectorFaults({ where, kind, body }: Resource, pods: readonly Pod[]): string[] {
  const spec = node(body['spec'])
  const selectors = {
    Deployment: [at(spec, 'selector')],
    StatefulSet: [at(spec, 'selector')],
    PodDisruptionBudget: [at(spec, 'selector')],
    Service: [{ matchLabels: spec['selector'] }],
    NetworkPolicy: [
      spec['podSelector'],
      ...nodes(spec['ingress']).flatMap(({ from }) => nodes(from).map(({ podSelector }) => podSelector)),
    ],
  }[kind]
  const own = kind === 'Deployment' || kind === 'StatefulSet' ? pods.filter((pod) => pod.where === where) : pods
  const missed = (selectors ?? []).filter((selector) => !own.some(({ labels }) => matches(selector, labels)))
  return [
    ...missed.map((selector) => `${where}: nobody has the labels ${JSON.stringify(selector)}`),
    ...portFaults(where, kind, spec, pods),
  ]
}

function portFaults(where: string, kind: string, spec: Node, pods: readonly Pod[]): string[] {
  const [selector, named] =
    kind === 'Service'
      ? [{ matchLabels: spec['selector'] }, nodes(spec['ports']).map(({ targetPort }) => targetPort)]
      : [spec['podSelector'], nodes(spec['ingress']).flatMap(({ ports }) => nodes(ports).map(({ port }) => port))]
  const reached = pods.filter(({ labels }) => matches(selector, labels))
  return named
    .filter((port) => !reached.some(({ ports }) => ports.has(String(port))))
    .map((port) => `${where}: nobody behind it has the port ${port}`)
}

function matches(selector: unknown, labels: Node): boolean {
  const isIn = nodes(at(selector, 'matchExpressions')).every(
    ({ key, operator, values }) => operator === 'In' && (values as unknown[]).includes(labels[String(key)]),
  )
  return isIn && isSelected(at(selector, 'matchLabels') ?? {}, labels)
}

function isSelected(wanted: unknown, labels: Node): boolean {
  return Object.entries(node(wanted)).every(([key, value]) => labels[key] === value)
}
