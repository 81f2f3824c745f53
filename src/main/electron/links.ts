/** `millrace://` links, which any page or document can contain: they lead to a screen that asks, and do nothing else. */

export const SCHEME = 'millrace'

const LONGEST_LINK = 4_000
const UUID = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i

/** The path of the screen that asks; null for what isn't such a link. */
export function pathOfLink(link: string): string | null {
  if (link.length > LONGEST_LINK || !URL.canParse(link)) return null
  const { protocol, host, pathname, searchParams } = new URL(link)
  if (protocol !== `${SCHEME}:`) return null
  const rest = pathname.replace(/^\/|\/$/g, '')
  if (host === 'flow' && UUID.test(rest)) return pathOf({ flow: rest.toLowerCase() })
  const url = searchParams.get('url')
  if (host === 'import' && rest === '' && url !== null && isWebUrl(url)) return pathOf({ import: url })
  return null
}

/** The link among the arguments that the system started the program with. */
export function linkAmong(argv: readonly string[]): string | null {
  return argv.find((argument) => argument.startsWith(`${SCHEME}://`)) ?? null
}

const pathOf = (search: Readonly<Record<string, string>>) => `/open-link?${new URLSearchParams(search)}`

function isWebUrl(text: string): boolean {
  return URL.canParse(text) && ['http:', 'https:'].includes(new URL(text).protocol)
}
