/** The window's title: that of the screen, preceded by the number of unseen events. */
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
