import type { ErrorRow } from '../errors/error-row.ts'

/** Refusals of the ledger. What was decided on is written down here and goes on by itself, unless it says otherwise. */
export const ledgerErrors = () =>
  ({
    LEDGER_ID_INVALID: {
      kind: 'usage',
      text: 'The ledger id {"value"} is not valid.',
      next: 'Name a topic or an account as shard.realm.number, such as "0.0.1005"; "postern ledger topics" lists the topics.',
    },
    ENTITY_INVALID: {
      kind: 'usage',
      text: 'The work item {"value"} is not valid.',
      next: 'Use task, phase, stage or project, a colon and a name of letters, digits, ".", "_" or "-", such as "task:PROJ-12".',
    },
    SEED_PRIORITY_INVALID: {
      kind: 'usage',
      text: 'The priority {"value"} is not valid.',
      next: 'Use 1 (urgent), 2 (high), 3 (normal), 4 (low) or 5 (for information).',
    },
    LEDGER_MEMO_INVALID: {
      kind: 'usage',
      text: 'The memo {"memo"} is not valid: {reason}.',
      next: 'Nothing was published. A memo has at most 100 bytes.',
    },
    LEDGER_MESSAGE_TOO_LARGE: {
      kind: 'usage',
      text: 'The entry has {bytes} bytes; at most {limit} are allowed.',
      next: 'Nothing was published. Shorten it.',
    },
    LEDGER_TOPIC_NOT_FOUND: {
      kind: 'notFound',
      text: 'There is no topic {topic} on the ledger {network}.',
      next: 'See which there are with "postern ledger topics".',
    },
    LEDGER_TOPIC_DELETED: {
      kind: 'conflict',
      text: 'The topic {topic} was deleted, so it takes no more entries.',
      next: 'Use another topic. Its entries can still be read.',
    },
    LEDGER_NOT_SET_UP: {
      kind: 'conflict',
      text: '{agent} has no topics on the ledger {network} yet.',
      next: 'Let a person run "postern ledger setup".',
    },
    LEDGER_CONFIG_INVALID: {
      kind: 'broken',
      text: 'The ledger {network} cannot be used: {reason}.',
      next: 'Fix "ledger" in the configuration; "postern config --explain" says which file sets it.',
    },
    LEDGER_KEY_INVALID: {
      kind: 'usage',
      text: 'The key is not valid: {reason}.',
      next: 'Use an Ed25519 or ECDSA (secp256k1) private key, in DER or raw hex.',
    },
    LEDGER_DRIVER_MISSING: {
      kind: 'broken',
      text: 'Keys of the kind {kind} need {packages}, which cannot be loaded ({reason}).',
      next: 'Install it beside Postern with "npm install {packages}", or use an Ed25519 key.',
    },
    LEDGER_REFUSED: {
      kind: 'conflict',
      text: 'The ledger {network} refused it: {status}.',
      next: 'Fix the cause; see "postern ledger parcels".',
    },
    LEDGER_UNREACHABLE: {
      kind: 'unavailable',
      text: 'The ledger {network} cannot be reached: {reason}.',
      next: 'Entries that wait are retried by themselves. Retry anything else later.',
    },
    LEDGER_BUDGET_SPENT: {
      http: 429,
      exit: 69,
      retryable: true,
      text: 'It costs about ${price}, and ${spent} of the ${budget} for today are spent.',
      next: 'Nothing was published. Wait until tomorrow (UTC), or let a person raise "ledger.budgetPerDay".',
    },
    LEDGER_SECRET_FOUND: {
      kind: 'usage',
      text: 'It seems to contain a secret: {what}.',
      next: 'Nothing was published or sent. Remove the secret: a public ledger keeps everything.',
    },
    LEDGER_ENTRY_INVALID: {
      kind: 'usage',
      text: 'The entry is not valid: {reason}.',
      next: 'Nothing was published. Fix the entry.',
    },
    LEDGER_PROOF_INVALID: {
      kind: 'usage',
      text: 'The proof {path} cannot be read: {reason}.',
      next: 'Export it again with "postern ledger export <topic> <file>".',
    },
    LEDGER_PROOF_FAILED: {
      kind: 'usage',
      text: 'The proof cannot be written to {path}: {reason}.',
      next: 'Name a file that does not exist yet.',
    },
    PROFILE_INVALID: {
      kind: 'usage',
      text: 'The profile is not valid: {reason}.',
      next: 'Nothing was published. Capabilities are numbers from 0 to 18, at least one.',
    },
    CONNECTION_NOT_FOUND: {
      kind: 'notFound',
      text: 'There is no connection {id}.',
      next: 'See which there are with "postern ledger connections".',
    },
    CONNECTION_STATE: {
      kind: 'conflict',
      text: 'The connection {id} is {state}, so it cannot be {wanted}.',
      next: 'See it with "postern ledger connections".',
    },
    PARCEL_NOT_FOUND: {
      kind: 'notFound',
      text: 'There is no parcel {id}.',
      next: 'See which there are with "postern ledger parcels".',
    },
    PARCEL_STATE: {
      kind: 'conflict',
      text: 'The parcel {id} is {state}; it cannot become {wanted}.',
      next: 'See which there are with "postern ledger parcels".',
    },
  }) as const satisfies Record<string, ErrorRow>
