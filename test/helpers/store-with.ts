import type { Store } from '../../src/store/store.ts'

/** The same store with some methods replaced, such as its clock: that of PostgreSQL is the server's. */
export function storeWith(store: Store, changes: Partial<Store>): Store {
  return {
    engine: store.engine,
    location: store.location,
    hasLost: store.hasLost,
    transact: (verb, options) => store.transact(verb, options),
    single: (call, options) => store.single(call, options),
    push: (params) => store.push(params),
    read: store.read,
    now: () => store.now(),
    ago: (ms) => (changes.now ? changes.now() - ms : store.ago(ms)),
    check: () => store.check(),
    audit: (params) => store.audit(params),
    verify: () => store.verify(),
    backup: (path) => store.backup(path),
    close: () => store.close(),
    ...changes,
  }
}

/** A store that fails in the middle of a transaction, when the message is stored. */
export function failing(store: Store): Store {
  return storeWith(store, {
    transact: (verb, options) =>
      store.transact(
        (tx) =>
          verb({ ...tx, messages: { ...tx.messages, push: () => Promise.reject(new Error('the power is gone')) } }),
        options,
      ),
  })
}
