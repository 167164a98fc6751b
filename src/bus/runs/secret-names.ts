/** A part of a name that says by itself that the value is a secret; also at the end of a longer one, as in `PGPASSWORD`. */
const SECRET =
  /(?:token|secrets?|passw(?:or)?d|passphrase|apikey|accesskey|credentials?|creds|bearer|jwt|pwd|authorization|sshpass|signature)$/
/** These say so only where nothing comes after them. */
const SECRET_AT_END = new Set(['auth', 'pass', 'pw', 'pat', 'sig', 'cookie', 'cookies'])
const SECRET_KEY =
  /(?:^|-)(?:access|account|api|app|auth|client|deploy|encryption|license|master|private|secret|service|session|shared|signing|webhook)-keys?(?:-|$)/
/** What tells of a secret without being one: where it lies, how long it may be. */
const ABOUT = new Set([
  ...['budget', 'count', 'dir', 'endpoint', 'env', 'expiry', 'file', 'folder', 'helper', 'host', 'id', 'length'],
  ...['limit', 'method', 'mode', 'name', 'path', 'port', 'provider', 'scope', 'scopes', 'size', 'stdin', 'ttl', 'type'],
  ...['uri', 'url', 'user', 'var', 'version'],
])
const COUNTED = new Set(['max', 'min', 'num', 'total'])

/** Whether an option, a variable or a field of this name holds a secret: `--api-key`, `GITHUB_TOKEN`, `clientSecret`. */
export function isSecretName(name: string): boolean {
  const parts = name
    .replace(/([a-z0-9])([A-Z])/g, '$1-$2')
    .toLowerCase()
    .split(/[^a-z0-9]+/)
    .map((part) => part.replace(/\d+$/, ''))
    .filter((part) => part !== '')
  const last = parts.at(-1)
  if (last === undefined || ABOUT.has(last) || COUNTED.has(parts[0] ?? '')) return false
  return SECRET_AT_END.has(last) || parts.some((part) => SECRET.test(part)) || SECRET_KEY.test(parts.join('-'))
}
