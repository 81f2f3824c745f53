import { app } from 'electron'

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
  // An app that isn't packaged would register Electron itself.
  if (app.isPackaged) app.setAsDefaultProtocolClient(SCHEME)
}

/**
 * The scheme of `millrace://` links, which any page or document can contain. They only lead to a screen that
 * asks the user.
 */

const SCHEME = 'millrace'

const LONGEST_LINK = 4_000
const UUID = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i

/** The path of the screen that asks; null if it isn't such a link. */
function pathOfLink(link: string): string | null {
  if (link.length > LONGEST_LINK || !URL.canParse(link)) return null
  const { protocol, host, pathname, searchParams } = new URL(link)
  if (protocol !== `${SCHEME}:`) return null
  const rest = pathname.replace(/^\/|\/$/g, '')
  if (host === 'flow' && UUID.test(rest)) return pathOf({ flow: rest.toLowerCase() })
  const url = searchParams.get('url')
  if (host === 'import' && rest === '' && url !== null && isWebUrl(url)) return pathOf({ import: url })
  return null
}

/** The link in the arguments with which the system started the program. */
function linkAmong(argv: readonly string[]): string | null {
  return argv.find((argument) => argument.startsWith(`${SCHEME}://`)) ?? null
}

const pathOf = (search: Readonly<Record<string, string>>) => `/open-link?${new URLSearchParams(search)}`

function isWebUrl(text: string): boolean {
  return URL.canParse(text) && ['http:', 'https:'].includes(new URL(text).protocol)
}
