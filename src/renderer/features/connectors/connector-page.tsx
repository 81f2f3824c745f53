export function ConnectorPage() {
  return null
}
