import type { Store } from '../../../src/store/store.ts'
import type { Elsewhere } from '../../helpers/ledger/elsewhere.ts'
import { storeWith } from '../../helpers/store-with.ts'

/** Thrown wherever a process would be dead: nothing that it does afterwards has any effect. */
export class Killed extends Error {
  constructor() {
    super('the process was killed')
  }
}

/** Counts the points at which a process may die, and lets it die at one of them. */
export interface Reaper {
  /** How many points were passed. */
  readonly passed: number
  point(): void
}

export function createReaper(at: number): Reaper {
  let passed = 0
  return {
    get passed() {
      return passed
    },
    point() {
      // Who is dead stays so.
      if (passed >= at) throw new Killed()
      passed++
    },
  }
}

/** A store whose user may die before a transaction begins, and after it was committed. */
export function killableStore(store: Store, reaper: Reaper): Store {
  async function through<T>(run: () => Promise<T>): Promise<T> {
    reaper.point()
    const result = await run()
    reaper.point()
    return result
  }
  return storeWith(store, {
    transact: (verb, options) => through(() => store.transact(verb, options)),
    single: (call, options) => through(() => store.single(call, options)),
    push: (params) => through(() => store.push(params)),
  })
}

/** Dies before a call reaches the ledger, and after the ledger has done it but before its answer is heard. */
export function killAtLedger({ faults }: Elsewhere, reaper: Reaper): void {
  faults.before = () => reaper.point()
  faults.after = () => reaper.point()
}

export function spare({ faults }: Elsewhere): void {
  faults.before = () => {}
  faults.after = () => {}
}
