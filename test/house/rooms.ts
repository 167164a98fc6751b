/**
 * The architecture. A new edge between rooms shows in the diff of this table and is argued there.
 *
 * A room is a folder of `src/`, or a file. The longest path wins, so `store/postgres` has its own rules within `store`.
 * A room may always import itself and the rooms within it.
 */
export interface Room {
  /** Rooms, or single files, that it may import. */
  readonly may: readonly string[]
  /** Contracts that it may import, but only with `import type`: it is given an implementation. */
  readonly mayAsTypes?: readonly string[]
  /** npm packages; a scope with a slash covers all packages of that scope. */
  readonly packages?: readonly string[]
  /** May import Node's own modules. */
  readonly node?: true
  /** May read `process.env`. */
  readonly env?: true
  /** May hold SQL. */
  readonly sql?: true
  /** May read the clock, use randomness and set timers by itself. */
  readonly clock?: true
  /** What to do instead of reaching through the wall. */
  readonly remedy: string
}

const KIT = ['kit/pure', 'kit/node'] as const
/** For rooms that sleep. */
const TIMED_KIT = [...KIT, 'kit/clock'] as const
const STORE_CONTRACT = 'store/store.ts'
const WIRE_CONTRACT = 'wires/wire.ts'
const THROUGH_HOST = 'use the Postern that host hands you'
const ONE_DRIVER = 'only this driver lives here; what every wire needs lives in wires'

export const ROOMS: Readonly<Record<string, Room>> = {
  'index.ts': {
    may: ['model', 'host', 'client', 'agent', 'render'],
    remedy: 'index.ts is a list of public names; what it lists is made in host, client, agent or render',
  },
  model: { may: ['kit/pure'], remedy: 'the model is plain data; let the room that uses it do this' },
  'kit/pure': { may: [], remedy: 'take it as an argument, or move the file to kit/node' },
  'kit/clock': {
    may: [],
    clock: true,
    remedy: 'it runs in a browser too; what needs Node lives in kit/node',
  },
  'kit/node': {
    may: ['kit/pure', 'kit/clock'],
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
    may: ['model', ...TIMED_KIT],
    node: true,
    sql: true,
    clock: true,
    remedy: 'the store keeps and finds; let core decide, and host hand over what it needs',
  },
  'store/postgres': {
    may: ['model', ...TIMED_KIT, 'store'],
    packages: ['pg'],
    node: true,
    sql: true,
    clock: true,
    remedy: 'only drivers live here; what both engines need lives in store',
  },
  spool: {
    may: ['model', ...KIT],
    node: true,
    remedy: 'the spool knows files only; let host bring it and the heart together',
  },
  wires: {
    may: ['model', ...KIT],
    node: true,
    clock: true,
    remedy: 'a wire only rings; let host hand it what it needs',
  },
  'wires/nats': {
    may: ['model', 'kit/pure', 'kit/clock', 'wires'],
    packages: ['@nats-io/'],
    clock: true,
    remedy: ONE_DRIVER,
  },
  'wires/redis': {
    may: ['model', 'kit/pure', 'wires'],
    packages: ['@redis/client'],
    node: true,
    clock: true,
    remedy: ONE_DRIVER,
  },
  'wires/postgres': {
    may: ['model', 'kit/pure', 'kit/clock', 'wires'],
    packages: ['pg'],
    clock: true,
    remedy: ONE_DRIVER,
  },
  bus: {
    may: ['model', ...TIMED_KIT, 'kit/yaml'],
    node: true,
    clock: true,
    remedy: 'the bus is files; let host bring it and the heart together',
  },
  handoff: {
    may: ['model', ...TIMED_KIT, 'kit/yaml'],
    node: true,
    clock: true,
    remedy: 'handoff is files; let host bring it and the heart together',
  },
  ledger: {
    may: ['model', ...TIMED_KIT],
    mayAsTypes: [STORE_CONTRACT],
    node: true,
    clock: true,
    remedy: 'a ledger keeps topics; take the store as its contract and let host open it',
  },
  'ledger/hedera': {
    may: ['model', 'kit/pure', 'kit/clock', 'ledger'],
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
    may: ['model'],
    remedy: 'a host is pure functions over its events; let the chain do this',
  },
  server: {
    // Hooks, because hosts may post their events to a server, and the same chain answers them. MCP, because over HTTP
    // it is one more endpoint, loaded with its first request.
    may: ['model', ...TIMED_KIT, 'operations', 'host', 'hooks', 'mcp'],
    node: true,
    clock: true,
    remedy: THROUGH_HOST,
  },
  mcp: {
    may: ['model', 'kit/node', 'kit/clock', 'operations', 'render', 'host'],
    packages: ['@modelcontextprotocol/'],
    node: true,
    clock: true,
    remedy: THROUGH_HOST,
  },
  client: {
    may: ['model', 'kit/pure', 'kit/clock'],
    clock: true,
    remedy: 'the client runs in a browser too, without schemas; speak HTTP',
  },
  agent: {
    may: ['model', 'kit/pure', 'kit/clock', 'render'],
    clock: true,
    remedy: 'the loop works with any Postern; take it as an argument',
  },
  cli: {
    may: ['model', ...TIMED_KIT, 'render', 'host', 'hooks', 'server', 'mcp', 'agent', 'courier'],
    node: true,
    env: true,
    clock: true,
    remedy: THROUGH_HOST,
  },
  loops: {
    may: ['model', ...TIMED_KIT, 'core', 'render', 'wires', 'ledger'],
    mayAsTypes: [STORE_CONTRACT],
    node: true,
    clock: true,
    remedy: 'a loop works with what host starts it with; take it as an argument',
  },
  courier: {
    may: ['model', ...TIMED_KIT, 'render', 'spool'],
    mayAsTypes: [WIRE_CONTRACT, 'loops/loop.ts'],
    node: true,
    clock: true,
    remedy: 'the courier works with any Postern and any wire; let host open them and hand them over',
  },
  host: {
    may: [
      'model',
      ...TIMED_KIT,
      'core',
      'store',
      'spool',
      'wires',
      'bus',
      'handoff',
      'ledger',
      'render',
      'client',
      'loops',
      'courier',
    ],
    packages: ['croner'],
    node: true,
    env: true,
    clock: true,
    remedy: 'host builds the house and hands it to doors; it knows none of them but the client, which is a Postern too',
  },
}

/**
 * The alcoves of `core`, from the bottom up: its folders, and the files directly in it. An alcove may import itself
 * and those before it in this list, never one after it.
 */
export const ALCOVES: readonly string[] = [
  // Used by all others.
  'context.ts', // everything that core needs from outside
  'creation-budget.ts', // how fast a program may create what is kept
  'visible.ts', // who may know of a message, a gate or a decision
  'rings', // ring after a commit, and wait for a ring
  'registry', // find and register agents
  'notices', // tell agents and people that something happened
  // One message, and the session that is shown it.
  'deliveries', // compose a message, damp it, store it for its recipients
  'offers', // messages taken from an inbox, until they are confirmed or released
  'sessions',
  // What holds an agent, and what else sends it messages.
  'gates', // with question.ts: a decision ends together with its gate
  'decisions',
  'plans',
  'spaces',
  // A push may close a gate or be a post in a space, and a drain fires plans: so inbox comes after them.
  'inbox',
  'agents', // to remove one cancels its questions, gates and messages
  // Other ways in and out, and what runs over everything.
  'services',
  'bus',
  'handoff',
  'ledger',
  'tokens',
  'events',
  'metrics',
  'upkeep',
  // All verbs as one `Postern`.
  'fenced-store.ts', // the store of a request under a key
  'replies.ts',
  'verbs.ts',
  'once.ts',
  'postern.ts',
  'keyed-answers.ts',
]

/** The alcove of a file, by its path within `src/core/`. */
export function alcoveOf(path: string): string {
  return path.split('/')[0] ?? path
}

/** The room of a file, by its path within `src/`. */
export function roomOf(path: string, rooms: Readonly<Record<string, Room>> = ROOMS): string | undefined {
  const parts = path.split('/')
  for (let length = parts.length; length > 0; length--) {
    const name = parts.slice(0, length).join('/')
    if (name in rooms) return name
  }
  return undefined
}
