/**
 * The architecture. A new edge between rooms shows in the diff of this table and is argued there.
 *
 * A room is a folder of `src/`, or a file; the most exact path wins, so `store/postgres` has rules of its own within
 * `store`. A room may always import itself and what lies within it.
 */
export interface Room {
  /** Rooms, or single files, that it may import. */
  readonly may: readonly string[]
  /** Contracts that it may know, but only with `import type`: somebody hands it the embodiment. */
  readonly mayAsTypes?: readonly string[]
  /** npm packages; a scope with a slash covers all packages of that scope. */
  readonly packages?: readonly string[]
  /** May touch `node:`. */
  readonly node?: true
  /** May read `process.env`. */
  readonly env?: true
  /** May hold SQL. */
  readonly sql?: true
  /** May tell the time, roll dice and set timers by itself. */
  readonly clock?: true
  /** What to do instead of reaching through the wall. */
  readonly remedy: string
}

const KIT = ['kit/pure', 'kit/node'] as const
const STORE_CONTRACT = 'store/store.ts'
const WIRE_CONTRACT = 'wires/wire.ts'
const THROUGH_HOST = 'use the Postern that host hands you'

export const ROOMS: Readonly<Record<string, Room>> = {
  'index.ts': {
    may: ['model', 'host', 'client', 'agent', 'render'],
    remedy: 'index.ts is a list of public names; what it lists is made in host, client, agent or render',
  },
  model: { may: ['kit/pure'], remedy: 'the model is plain data; let the room that uses it do this' },
  'kit/pure': { may: [], remedy: 'take it as an argument, or move the file to kit/node' },
  'kit/node': {
    may: ['kit/pure'],
    node: true,
    clock: true,
    remedy: 'the toolbox knows nothing of us; take what it needs as an argument',
  },
  'kit/yaml': {
    may: [],
    packages: ['yaml'],
    node: true,
    remedy: 'the only place that knows the parser; take what it needs as an argument',
  },
  operations: {
    may: ['model'],
    packages: ['zod'],
    remedy: 'operations only declare; let core decide and doors translate',
  },
  core: {
    may: ['model', 'kit/pure'],
    mayAsTypes: [
      STORE_CONTRACT,
      WIRE_CONTRACT,
      'bus/bus-shelf.ts',
      'handoff/handoff-shelf.ts',
      'ledger/ledger.ts',
      'ledger/codec.ts',
    ],
    remedy: 'ask for it through the context',
  },
  store: {
    may: ['model', ...KIT],
    node: true,
    sql: true,
    clock: true,
    remedy: 'the store keeps and finds; let core decide, and host hand over what it needs',
  },
  'store/postgres': {
    may: ['model', ...KIT, 'store'],
    packages: ['pg'],
    node: true,
    sql: true,
    clock: true,
    remedy: 'only drivers live here; what both engines need lives in store',
  },
  spool: {
    may: ['model', ...KIT],
    node: true,
    clock: true,
    remedy: 'the spool knows files only; let host bring it and the heart together',
  },
  wires: {
    may: ['model', ...KIT],
    node: true,
    clock: true,
    remedy: 'a wire only rings; let host hand it what it needs',
  },
  'wires/nats': wireOf('@nats-io/'),
  'wires/redis': wireOf('@redis/client'),
  'wires/postgres': wireOf('pg'),
  bus: {
    may: ['model', ...KIT, 'kit/yaml'],
    node: true,
    clock: true,
    remedy: 'the bus is files; let host bring it and the heart together',
  },
  handoff: {
    may: ['model', ...KIT, 'kit/yaml'],
    node: true,
    clock: true,
    remedy: 'handoff is files; let host bring it and the heart together',
  },
  ledger: {
    may: ['model', ...KIT],
    mayAsTypes: [STORE_CONTRACT],
    node: true,
    clock: true,
    remedy: 'a ledger keeps topics; take the store as its contract and let host open it',
  },
  'ledger/hedera': {
    may: ['model', ...KIT, 'ledger'],
    packages: ['@noble/'],
    node: true,
    clock: true,
    remedy: 'only the network lives here; what local chains need too lives in ledger',
  },
  render: { may: ['model', 'kit/pure'], remedy: 'rendering turns data into text; take the data as an argument' },
  hooks: {
    may: ['model', ...KIT, 'render', 'host'],
    node: true,
    clock: true,
    remedy: `${THROUGH_HOST}; hooks must stay small, so no operations and no packages`,
  },
  'hooks/hosts': {
    may: ['model', 'kit/pure'],
    remedy: 'a host is pure functions over its events; let the chain do this',
  },
  server: {
    // Hooks too: hosts may post their events to a server, and what answers them is the chain that answers commands. And
    // MCP, which over HTTP is one more page, loaded with the first request for it.
    may: ['model', ...KIT, 'operations', 'render', 'host', 'hooks', 'mcp'],
    node: true,
    clock: true,
    remedy: THROUGH_HOST,
  },
  mcp: {
    may: ['model', ...KIT, 'operations', 'render', 'host'],
    packages: ['@modelcontextprotocol/'],
    node: true,
    clock: true,
    remedy: THROUGH_HOST,
  },
  client: {
    may: ['model', 'kit/pure'],
    clock: true,
    remedy: 'the client runs in a browser too, without schemas; speak HTTP',
  },
  agent: {
    may: ['model', 'kit/pure', 'render'],
    clock: true,
    remedy: 'the loop works with any Postern; take it as an argument',
  },
  cli: {
    may: ['model', ...KIT, 'operations', 'render', 'host', 'hooks', 'server', 'mcp', 'client', 'agent'],
    packages: ['commander'],
    node: true,
    env: true,
    clock: true,
    remedy: THROUGH_HOST,
  },
  host: {
    may: [
      'model',
      ...KIT,
      'operations',
      'core',
      'store',
      'spool',
      'wires',
      'bus',
      'handoff',
      'ledger',
      'render',
      'client',
    ],
    packages: ['croner', 'pino'],
    node: true,
    env: true,
    clock: true,
    remedy: 'host builds the house and hands it to doors; it knows none of them but the client, which is a Postern too',
  },
}

/** The room of a file, by its path within `src/`. */
export function roomOf(path: string): string | undefined {
  const parts = path.split('/')
  for (let length = parts.length; length > 0; length--) {
    const name = parts.slice(0, length).join('/')
    if (name in ROOMS) return name
  }
  return undefined
}

function wireOf(...packages: string[]): Room {
  return {
    may: ['model', ...KIT, 'wires'],
    packages,
    node: true,
    clock: true,
    remedy: 'only this driver lives here; what every wire needs lives in wires',
  }
}
