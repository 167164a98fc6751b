export function TraceScreen() {
  return null
}
