export function FlowsPage() {
  return null
}
