/** The title of the window: what is on screen, and before it how much happened that nobody has looked at. */
let shown = 'Millrace'
let unseen = 0

export function setTitle(title: string): void {
  shown = title
  write()
}

export function setTitleBadge(count: number): void {
  unseen = count
  write()
}

function write(): void {
  document.title = unseen === 0 ? shown : `(${unseen}) ${shown}`
}
