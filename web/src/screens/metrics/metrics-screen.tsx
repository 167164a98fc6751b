export function MetricsScreen() {
  return null
}
