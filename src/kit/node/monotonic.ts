/**
 * Milliseconds that only ever grow. Node's `performance` says the same, but loads a module for it that costs a short
 * command more than the rest of what it does.
 */
export function monotonicMs(): number {
  return process.uptime() * 1000
}
