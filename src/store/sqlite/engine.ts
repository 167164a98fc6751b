import type * as sqlite from 'node:sqlite'

let engine: typeof sqlite | undefined

/** Loads the built-in engine on first use, without the notice that Node 22 prints about it. */
export function loadEngine(): typeof sqlite {
  if (engine) return engine
  const emitWarning = process.emitWarning
  process.emitWarning = () => {}
  try {
    engine = process.getBuiltinModule('node:sqlite')
  } finally {
    process.emitWarning = emitWarning
  }
  if (!engine) throw new Error('Node 22.13 or newer is needed')
  return engine
}
