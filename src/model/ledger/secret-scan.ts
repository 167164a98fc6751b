import { isRandom, isStrong } from './secret-strength.ts'

/**
 * A secret that is known by its form. Every pattern begins where nothing of its own kind stands before it and has
 * bounded parts, so that a hostile text of any length takes time in proportion to it.
 */
interface SecretKind {
  readonly what: string
  readonly pattern: RegExp
  /** Looks at the part that is the secret itself, for the form alone does not tell. */
  readonly check?: (secret: string) => boolean
}

/** Behind a line break that was written as `\n` too, for what is scanned may be JSON. */
const START = '(?:(?<![A-Za-z0-9_-])|(?<=\\\\[nrt]))'
const QUOTE = '\\\\{0,15}["\'`]?'
const ASSIGNED = `${QUOTE}\\s{0,3}(?::=|=>|[:=])\\s{0,3}${QUOTE}`
const VALUE = '([^\\s"\'`,;\\\\<>(){}[\\]]{8,200})'

const KINDS: readonly SecretKind[] = [
  { what: 'a private key', pattern: /-----BEGIN (?:[A-Z0-9]{1,20} ){0,4}PRIVATE KEY(?: BLOCK)?-----/g },
  {
    what: 'a private key in DER',
    pattern: /(?:302e020100300506032b657004220420|3030020100300706052b8104000a04220420)[0-9a-f]{64}/gi,
  },
  { what: 'a private key in DER', pattern: /MC4CAQAwBQYDK2VwBCIEI[A-Za-z0-9+/]{42}/g },
  { what: 'an AWS access key', pattern: token('(?:AKIA|ASIA)[A-Z0-9]{16}(?![A-Za-z0-9])') },
  { what: 'a token of GitHub', pattern: token('(?:gh[pousr]_[A-Za-z0-9]{36}|github_pat_[A-Za-z0-9_]{22})') },
  { what: 'a token of GitLab', pattern: token('glpat-[A-Za-z0-9_-]{20}') },
  { what: 'a token of Slack', pattern: token('(?:xox[abeoprs]-|xapp-[0-9]-)[A-Za-z0-9-]{10}') },
  {
    what: 'a webhook of Slack',
    pattern: /hooks\.slack\.com\/services\/T[A-Z0-9]{6,20}\/B[A-Z0-9]{6,20}\/[A-Za-z0-9]{16}/g,
  },
  { what: 'an API key of Anthropic', pattern: token('sk-ant-[A-Za-z0-9_-]{20}') },
  { what: 'an API key of OpenAI', pattern: token('sk-(?:(?:proj|svcacct|admin)-[A-Za-z0-9_-]{20}|[A-Za-z0-9]{32})') },
  { what: 'an API key of Google', pattern: token('AIza[A-Za-z0-9_-]{35}') },
  { what: 'an API key of Stripe', pattern: token('[rs]k_live_[A-Za-z0-9]{16}') },
  { what: 'a token of npm', pattern: token('npm_[A-Za-z0-9]{36}') },
  { what: 'a token of Hugging Face', pattern: token('hf_[A-Za-z0-9]{34}') },
  { what: 'a token or a key of Postern', pattern: token('(?:pst|sk)_[A-Za-z0-9_-]{43}') },
  { what: 'a signing secret of a webhook', pattern: token('whsec_[A-Za-z0-9+/]{24}') },
  {
    what: 'a JSON Web Token',
    pattern: token('eyJ[A-Za-z0-9_-]{8,}\\.eyJ[A-Za-z0-9_-]{8,}\\.[A-Za-z0-9_-]{8}'),
  },
  {
    what: 'a bearer token',
    pattern: new RegExp(`${START}bearer\\s{1,5}([A-Za-z0-9._~+/=-]{16,512})`, 'gi'),
    check: isRandom,
  },
  {
    what: 'a user and a password in a header',
    pattern: /authorization\W{1,10}basic\s{1,5}([A-Za-z0-9+/]{8,512})/gi,
  },
  {
    what: 'a password in a URL',
    pattern: /(?<![a-z0-9+.-])[a-z][a-z0-9+.-]{1,20}:\/\/[^\s/:@?#"'<>\\]{0,100}:([^\s/@?#"'<>\\]{1,200})@/gi,
    check: isNoStandIn,
  },
  {
    what: 'a password or a secret that is named as one',
    pattern: named('pass(?:word|wd|phrase)|pwd|secret|private[_ -]?key|mnemonic'),
    check: isStrong,
  },
  {
    what: 'a key or a token that is named as one',
    pattern: named('(?:api|access|auth|account|signing|encryption)[_ -]?key|token|credentials?'),
    check: isRandom,
  },
]

/** Names the kind of the first secret that a text seems to hold, without repeating it; undefined where there is none. */
export function findSecret(text: string): string | undefined {
  return KINDS.find((kind) => holds(text, kind))?.what
}

function holds(text: string, { pattern, check }: SecretKind): boolean {
  for (const [, secret = ''] of text.matchAll(pattern)) if (!check || check(secret)) return true
  return false
}

function token(pattern: string): RegExp {
  return new RegExp(START + pattern, 'g')
}

function named(names: string): RegExp {
  return new RegExp(`(?:${names})${ASSIGNED}${VALUE}`, 'gi')
}

/** `postgres://user:password@host` stands in many a manual. */
function isNoStandIn(password: string): boolean {
  return !/^(?:pass(?:word|wd)?|pwd|secret|x+|\*+|…|\$.*|%.{1,2})$/i.test(password)
}
