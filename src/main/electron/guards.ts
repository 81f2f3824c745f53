/** Restrictions of the window, whatever its page tries. */
import { shell, type Session, type WebContents } from 'electron'

type IsOwn = (url: string) => boolean

/** Denies everything except writing to the clipboard, which the page's copy buttons need. */
export function guardSession(session: Session, isOwn: IsOwn): void {
  const allows = (permission: string, url: string) => permission === 'clipboard-sanitized-write' && isOwn(url)
  session.setPermissionRequestHandler((_contents, permission, answer, { requestingUrl }) => {
    answer(allows(permission, requestingUrl))
  })
  session.setPermissionCheckHandler((_contents, permission, origin) => allows(permission, origin))
  session.setDevicePermissionHandler(() => false)
}

/** The window only shows our own page; links elsewhere open in the browser. */
export function guardContents(contents: WebContents, isOwn: IsOwn): void {
  const stay = (event: { readonly url: string; preventDefault(): void }) => {
    if (isOwn(event.url)) return
    event.preventDefault()
    openOutside(event.url)
  }
  contents.on('will-frame-navigate', stay)
  contents.on('will-redirect', stay)
  contents.on('will-attach-webview', (event) => event.preventDefault())
  contents.setWindowOpenHandler(({ url }) => {
    openOutside(url)
    return { action: 'deny' }
  })
}

/** Opens only web links, because other schemes start programs. */
function openOutside(url: string): void {
  if (!URL.canParse(url) || !['http:', 'https:'].includes(new URL(url).protocol)) return
  shell.openExternal(url).catch(() => {
    // There is no browser to open it with; the user can still copy the URL.
  })
}
