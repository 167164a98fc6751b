export function SpacesScreen() {
  return null
}
