export function DoctorScreen() {
  return null
}
