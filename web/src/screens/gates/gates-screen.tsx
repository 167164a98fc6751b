export function GatesScreen() {
  return null
}
