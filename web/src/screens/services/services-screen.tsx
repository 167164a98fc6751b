export function ServicesScreen() {
  return null
}
