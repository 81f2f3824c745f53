export function AuthsPage() {
  return null
}
