export function LedgerScreen() {
  return null
}
