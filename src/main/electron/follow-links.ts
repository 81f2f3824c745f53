import { app } from 'electron'
import { linkAmong, pathOfLink, SCHEME } from './links.ts'

/** Opens the screen of each `millrace://` link that the system passes on, at the start or later. */
export function followLinks(argv: readonly string[], open: (path: string) => void): void {
  const follow = (link: string | null) => {
    const path = link === null ? null : pathOfLink(link)
    if (path !== null) open(path)
  }
  follow(linkAmong(argv))
  // macOS sends an event; elsewhere the system starts the program again with the link as an argument.
  app.on('open-url', (event, link) => {
    event.preventDefault()
    follow(link)
  })
  app.on('second-instance', (_event, args) => follow(linkAmong(args)))
  // An unpacked app would register Electron itself.
  if (app.isPackaged) app.setAsDefaultProtocolClient(SCHEME)
}
