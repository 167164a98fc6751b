import type { Carrier } from './scene.ts'
import type { Revision } from './suite.ts'

/**
 * What of the official suite says nothing of us, and why. A scenario that neither passes nor stands here fails the test,
 * and so does one that stands here and passes.
 */
export interface Exception {
  readonly scenario: string
  /** Only these of its checks; absent: the whole scenario. */
  readonly checks?: readonly string[]
  readonly reason: string
  /** Only there; absent: on both. */
  readonly carrier?: Carrier
  /** Only in this one; absent: in every one that has the scenario. */
  readonly revision?: Revision
}

const NO_MEDIA = 'Everything that we answer with is text, with structured content beside it.'
const NO_ARGUMENTS = 'Our prompts take no arguments and embed nothing: they tell an agent which tools to use.'
const NO_LOGGING = 'We offer no logging over MCP: newer revisions have dropped it, and logs go to stderr.'
const NO_SAMPLING = 'We never ask a client for its model or its roots: newer revisions have dropped both.'
const NO_PROGRESS = 'No tool of ours tells of progress: each is done at once, or waits for somebody else.'
const NO_SESSION =
  'We give no session over HTTP: every request stands by itself, and nothing is lost when one breaks off.'
const OWN_QUESTIONS =
  'It wants the questions of its own tool. What we ask through a dialogue is seen in test/scenarios/mcp/elicit.test.ts.'
const NOBODY_THERE = 'Nobody is known to sit before a client that comes over HTTP, so no tool asks for input there.'
const OF_THE_BRIDGE = 'It judges HTTP, which on stdio is only the bridge of this test.'

const MEDIA: readonly Exception[] = [
  { scenario: 'tools-call-image', reason: NO_MEDIA },
  { scenario: 'tools-call-audio', reason: NO_MEDIA },
  { scenario: 'tools-call-embedded-resource', reason: NO_MEDIA },
  { scenario: 'tools-call-mixed-content', reason: NO_MEDIA },
  { scenario: 'resources-read-binary', reason: NO_MEDIA },
  { scenario: 'prompts-get-with-args', reason: NO_ARGUMENTS },
  { scenario: 'prompts-get-embedded-resource', reason: NO_ARGUMENTS },
  { scenario: 'prompts-get-with-image', reason: NO_ARGUMENTS },
]

const ABSENT: readonly Exception[] = [
  { scenario: 'completion-complete', reason: 'We offer no completion: our prompts have no arguments to complete.' },
  { scenario: 'logging-set-level', reason: NO_LOGGING, revision: '2025-11-25' },
  { scenario: 'tools-call-with-logging', reason: NO_LOGGING, revision: '2025-11-25' },
  { scenario: 'tools-call-with-progress', reason: NO_PROGRESS },
  { scenario: 'tools-call-sampling', reason: NO_SAMPLING, revision: '2025-11-25' },
  {
    scenario: 'json-schema-2020-12',
    reason: 'It wants the schema of its own tool, with references; ours have none, so that every host can read them.',
  },
  {
    scenario: 'http-custom-header-server-validation',
    reason: 'No tool of ours repeats an argument in a header: that is for proxies that route by it.',
    revision: '2026-07-28',
  },
]

const SESSIONS: readonly Exception[] = [
  { scenario: 'server-session-lifecycle', reason: NO_SESSION, revision: '2025-11-25' },
  { scenario: 'server-sse-polling', reason: NO_SESSION, revision: '2025-11-25' },
  { scenario: 'server-sse-multiple-streams', reason: NO_SESSION, revision: '2025-11-25' },
  { scenario: 'resources-subscribe', reason: NO_SESSION, carrier: 'http', revision: '2025-11-25' },
  { scenario: 'resources-unsubscribe', reason: NO_SESSION, carrier: 'http', revision: '2025-11-25' },
]

const QUESTIONS: readonly Exception[] = [
  { scenario: 'tools-call-elicitation', reason: OWN_QUESTIONS, revision: '2025-11-25' },
  { scenario: 'elicitation-sep1034-defaults', reason: OWN_QUESTIONS, revision: '2025-11-25' },
  { scenario: 'elicitation-sep1330-enums', reason: OWN_QUESTIONS, revision: '2025-11-25' },
  { scenario: 'input-required-result-basic-elicitation', reason: OWN_QUESTIONS, revision: '2026-07-28' },
  { scenario: 'input-required-result-request-state', reason: OWN_QUESTIONS, revision: '2026-07-28' },
  { scenario: 'input-required-result-multiple-input-requests', reason: OWN_QUESTIONS, revision: '2026-07-28' },
  { scenario: 'input-required-result-multi-round', reason: OWN_QUESTIONS, revision: '2026-07-28' },
  { scenario: 'input-required-result-tampered-state', reason: OWN_QUESTIONS, revision: '2026-07-28' },
  { scenario: 'input-required-result-capability-check', reason: OWN_QUESTIONS, revision: '2026-07-28' },
  {
    scenario: 'input-required-result-ignore-extra-params',
    reason: OWN_QUESTIONS,
    carrier: 'stdio',
    revision: '2026-07-28',
  },
  {
    scenario: 'input-required-result-non-tool-request',
    reason: 'Only a tool of ours asks anybody, never a prompt.',
    revision: '2026-07-28',
  },
  { scenario: 'input-required-result-basic-sampling', reason: NO_SAMPLING, revision: '2026-07-28' },
  { scenario: 'input-required-result-basic-list-roots', reason: NO_SAMPLING, revision: '2026-07-28' },
  { scenario: 'input-required-result-result-type', reason: NOBODY_THERE, carrier: 'http', revision: '2026-07-28' },
  {
    scenario: 'input-required-result-missing-input-response',
    reason: NOBODY_THERE,
    carrier: 'http',
    revision: '2026-07-28',
  },
  { scenario: 'input-required-result-validate-input', reason: NOBODY_THERE, carrier: 'http', revision: '2026-07-28' },
  {
    scenario: 'server-stateless',
    revision: '2026-07-28',
    checks: ['sep-2575-server-rejects-undeclared-capability', 'sep-2575-missing-capability-http-400'],
    reason:
      'No tool of ours needs anything of its client: a question that cannot be shown waits for its answer elsewhere.',
  },
]

const BRIDGED: readonly Exception[] = [
  { scenario: 'dns-rebinding-protection', reason: OF_THE_BRIDGE, carrier: 'stdio' },
  { scenario: 'http-header-validation', reason: OF_THE_BRIDGE, carrier: 'stdio', revision: '2026-07-28' },
  {
    scenario: 'server-stateless',
    revision: '2026-07-28',
    checks: [
      'sep-2575-http-server-meta-invalid-400',
      'sep-2575-http-server-unsupported-version-400',
      'sep-2575-http-server-header-mismatch-400',
      'sep-2575-http-server-method-not-found-404',
      'sep-2575-http-server-method-not-found-404-initialize',
      'sep-2575-http-server-method-not-found-404-ping',
      'sep-2575-http-server-method-not-found-404-logging-setlevel',
      'sep-2575-http-server-method-not-found-404-resources-subscribe',
      'sep-2575-http-server-method-not-found-404-resources-unsubscribe',
    ],
    reason: OF_THE_BRIDGE,
    carrier: 'stdio',
  },
  {
    scenario: 'server-stateless',
    revision: '2026-07-28',
    checks: ['sep-2575-server-unsupported-version-error'],
    reason:
      'The official SDK (2.4.0) settles the revision of a pipe by its first message and looks at no later one; a first message of an unknown revision it refuses, as test/mcp/client.test.ts shows.',
    carrier: 'stdio',
  },
]

export const NOT_APPLICABLE: readonly Exception[] = [...MEDIA, ...ABSENT, ...SESSIONS, ...QUESTIONS, ...BRIDGED]
