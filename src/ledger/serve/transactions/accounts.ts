import { Key } from '../../protocol/basics.ts'
import { formatId } from '../../protocol/names.ts'
import { checkMemo, Refusal } from '../precheck.ts'
import { checkKey, type Handler, keyOfAccount, wantAccount, wantNewKey } from './handler.ts'

/** An account of somebody else: whoever has its key may pay with it, which costs nothing here. */
export const createAccount: Handler = {
  name: 'CRYPTOCREATEACCOUNT',
  isOf: ({ createAccount }) => createAccount !== undefined,

  check({ body: { createAccount } }) {
    if (!createAccount?.key) throw new Refusal('KEY_REQUIRED')
    checkKey(createAccount.key, 'BAD_ENCODING')
    checkMemo(createAccount.memo)
  },

  keys: async ({ body: { createAccount } }) => [createAccount?.isReceiverSigned ? createAccount.key : undefined],

  async handle({ context, tx, request, signers }) {
    const { key, memo = '', isReceiverSigned } = request.body.createAccount ?? {}
    if (!key) throw new Refusal('KEY_REQUIRED')
    if (isReceiverSigned) wantNewKey({ signers }, key)
    const id = `0.0.${await tx.ledger.nextNumber()}`
    await tx.ledger.putAccount({ id, memo, key: hexOf(key), createdAt: context.store.now() })
    return { accountId: id }
  },
}

export const updateAccount: Handler = {
  name: 'CRYPTOUPDATEACCOUNT',
  isOf: ({ updateAccount }) => updateAccount !== undefined,

  check({ body: { updateAccount } }) {
    if (!updateAccount || formatId(updateAccount.account) === undefined) throw new Refusal('INVALID_ACCOUNT_ID')
    checkKey(updateAccount.key, 'BAD_ENCODING')
    checkMemo(updateAccount.memo?.value ?? '')
  },

  async keys({ body: { updateAccount } }, shelves) {
    return [updateAccount?.key, await keyOfAccount(shelves, updateAccount?.account)]
  },

  async handle({ tx, request, signers }) {
    const { account, key, memo } = request.body.updateAccount ?? {}
    const kept = await wantAccount({ tx, signers }, account, 'INVALID_ACCOUNT_ID')
    wantNewKey({ signers }, key)
    await tx.ledger.putAccount({ ...kept, memo: memo?.value ?? kept.memo, key: key ? hexOf(key) : kept.key })
    return { accountId: kept.id }
  },
}

function hexOf(key: Key): string {
  return Buffer.from(Key.encode(key)).toString('hex')
}
