export function PaginationPage() {
  return null
}
