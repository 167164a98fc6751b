export function DecisionsScreen() {
  return null
}
