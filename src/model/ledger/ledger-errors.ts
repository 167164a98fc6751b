import type { ErrorRow } from '../errors/error-row.ts'

/** Refusals of the ledger. What was decided on is written down here and goes on by itself, unless it says otherwise. */
export const ledgerErrors = () =>
  ({
    LEDGER_ID_INVALID: {
      kind: 'usage',
      text: '{value} is neither a topic nor an account of a ledger.',
      next: 'Use shard.realm.number, such as "0.0.1005"; see which there are with "postern ledger topics".',
    },
    ENTITY_INVALID: {
      kind: 'usage',
      text: '{value} is not a work item.',
      next: 'Use task, phase, stage or project, a colon and a name of letters, digits, ".", "_" or "-", such as "task:PROJ-12".',
    },
    SEED_PRIORITY_INVALID: {
      kind: 'usage',
      text: 'The priority {value} is not valid.',
      next: 'Use 1 (urgent), 2 (high), 3 (normal), 4 (low) or 5 (for information).',
    },
    LEDGER_MEMO_INVALID: {
      kind: 'usage',
      text: 'The memo {memo} is not valid: {reason}.',
      next: 'Nothing was published. A memo has at most 100 bytes.',
    },
    LEDGER_MESSAGE_TOO_LARGE: {
      kind: 'usage',
      text: 'What is to be published has {bytes} bytes; {limit} are allowed.',
      next: 'Nothing was published. Say less, or name where the rest is found.',
    },
    LEDGER_TOPIC_NOT_FOUND: {
      kind: 'notFound',
      text: 'There is no topic {topic} on the ledger {network}.',
      next: 'See which there are with "postern ledger topics".',
    },
    LEDGER_TOPIC_DELETED: {
      kind: 'conflict',
      text: 'The topic {topic} was deleted: nothing more can be written to it.',
      next: 'Use another; what stands there can still be read.',
    },
    LEDGER_NOT_SET_UP: {
      kind: 'conflict',
      text: '{agent} has no topics on the ledger {network} yet.',
      next: 'Let a person run "postern ledger setup".',
    },
    LEDGER_CONFIG_INVALID: {
      kind: 'broken',
      text: 'The ledger {network} cannot be used: {reason}.',
      next: 'Mend "ledger" in the configuration; "postern config --explain" says where it stands.',
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
      text: 'The ledger {network} has refused it: {status}.',
      next: 'Mend what it says; see what waits with "postern ledger parcels".',
    },
    LEDGER_UNREACHABLE: {
      kind: 'unavailable',
      text: 'The ledger {network} cannot be reached: {reason}.',
      next: 'What was written down to be published goes on by itself; try anything else again later.',
    },
    LEDGER_BUDGET_SPENT: {
      http: 429,
      exit: 69,
      retryable: true,
      text: 'It costs about ${price}, and of the ${budget} of this day ${spent} are spent.',
      next: 'Nothing was published. Wait until tomorrow (UTC), or let a person raise "ledger.budgetPerDay".',
    },
    LEDGER_SECRET_FOUND: {
      kind: 'usage',
      text: 'It looks as if there were a secret in it: {what}.',
      next: 'Nothing was published and nothing was sent, for a public ledger never forgets. Take the secret out.',
    },
    LEDGER_ENTRY_INVALID: {
      kind: 'usage',
      text: 'The entry is not valid: {reason}.',
      next: 'Mend it; nothing was published.',
    },
    LEDGER_PROOF_INVALID: {
      kind: 'usage',
      text: '{path} is not a proof that can be read: {reason}.',
      next: 'Export it again with "postern ledger export".',
    },
    LEDGER_PROOF_FAILED: {
      kind: 'usage',
      text: 'The proof cannot be written to {path}: {reason}.',
      next: 'Name another file, one that does not exist yet.',
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
      next: 'Look at it with "postern ledger connections"; what is on its way stands in "postern ledger parcels".',
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
