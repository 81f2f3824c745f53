import {
  exchangeSignInCodeRoute,
  type PageSession,
  SIGN_IN_FRAGMENT,
} from '../../shared/contract/page-sessions.ts'

/** The page's sign-in: on this computer, with the bearer token that was created when the server started. */
export interface Session {
  /** Absent if the page is opened on this computer. */
  readonly remote?: PageSession
  /** Null if none was handed over; every call then gets a 401. */
  bearer(): Promise<string | null>
  /** After a 401: the server may have been restarted, and another tab may know its new session. */
  renew(refused: string | null): Promise<string | null>
  /** The user this tab acts as; null means the user of this machine. */
  actingAs(): string | null
  /** Reloads the page as that user. */
  actAs(userId: string | null): void
  /** Opens the same screen at another URL of Millrace, with the same session. */
  moveTo(url: string): void
}

/** Very old browsers have no BroadcastChannel; their tabs must be signed in one by one. */
type BrowserWindow = Window & { readonly BroadcastChannel?: typeof BroadcastChannel }

const STORAGE_KEY = 'millrace.session'
const ACTING_KEY = 'millrace.acting-as'
/** Long enough for background tabs, which respond slowly. */
const ASK_MS = 400
const FRAGMENT = /^(#session=|#code=)([A-Za-z0-9_-]+)$/

/**
 * The desktop app hands the bearer token over through the preload script. In a browser it arrives in the URL's
 * fragment, which no server or log ever sees, or is exchanged for a code that arrives there; it moves to the tab's
 * own storage, and the fragment is removed at once.
 */
export function openSession(page: BrowserWindow): Session {
  const { desktop } = page
  const acting = {
    actingAs: () => page.sessionStorage.getItem(ACTING_KEY),
    actAs(userId: string | null) {
      if (userId === null) page.sessionStorage.removeItem(ACTING_KEY)
      else page.sessionStorage.setItem(ACTING_KEY, userId)
      page.location.reload()
    },
  }
  if (desktop)
    return {
      ...acting,
      bearer: () => desktop.sessionBearer(),
      renew: () => desktop.sessionBearer(),
      moveTo: (url) => page.location.assign(url + page.location.pathname + page.location.search),
    }

  let refused: string | null = null
  const stored = () => page.sessionStorage.getItem(STORAGE_KEY)
  const tabs = openTabs(page, () => (stored() === refused ? null : stored()))
  let isTaken = takeFragment(page)
  // A fresh link opened in this same tab changes only the fragment, so what was typed in the tab stays.
  page.addEventListener('hashchange', () => {
    const taken = takeFragment(page)
    if (taken !== null) isTaken = taken
  })
  async function otherThan(known: string | null): Promise<string | null> {
    await isTaken
    if (stored() !== known) return stored()
    const given = await tabs.ask(known)
    if (given !== null && stored() === known) page.sessionStorage.setItem(STORAGE_KEY, given)
    return stored()
  }
  return {
    ...acting,
    bearer: () => otherThan(null),
    renew(known) {
      refused = known
      return otherThan(known)
    },
    moveTo(url) {
      const { pathname, search } = page.location
      page.location.assign(`${url}${pathname}${search}#session=${stored() ?? ''}`)
    },
  }
}

type TabMessage = { readonly kind: 'ask' } | { readonly kind: 'give'; readonly session: string }

/**
 * The tabs of a browser hand the session to each other, in memory. Only pages of the app's origin receive it: a page
 * returned by a webhook is sandboxed and has no origin.
 */
function openTabs(page: BrowserWindow, own: () => string | null) {
  const Channel = page.BroadcastChannel
  const channel = Channel === undefined ? null : new Channel('millrace-session')
  const waiting = new Set<(session: string) => void>()
  /** A session from a tab that responded too late; it is used for the next question. */
  let late: string | null = null
  // oxlint-disable-next-line unicorn/require-post-message-target-origin -- a channel has no target, only its own origin
  const send = (message: TabMessage) => channel?.postMessage(message)
  channel?.addEventListener('message', ({ data }: MessageEvent<TabMessage>) => {
    if (data.kind === 'give') {
      if (waiting.size === 0) late = data.session
      for (const take of waiting) take(data.session)
    }
    const session = data.kind === 'ask' ? own() : null
    if (session !== null) send({ kind: 'give', session })
  })
  return {
    /** The session of another tab; null if no tab has a session other than the known one. */
    ask: (known: string | null) =>
      new Promise<string | null>((resolve) => {
        if (channel === null) return resolve(null)
        const given = late
        late = null
        if (given !== null && given !== known) return resolve(given)
        const end = (session: string | null) => {
          if (session === known) return
          waiting.delete(end)
          clearTimeout(timer)
          resolve(session)
        }
        const timer = setTimeout(() => {
          waiting.delete(end)
          resolve(null)
        }, ASK_MS)
        waiting.add(end)
        send({ kind: 'ask' })
      }),
  }
}

/** Null if the URL has no code; otherwise resolves once the tab is signed in, or unchanged if it isn't. */
function takeFragment(page: Window): Promise<void> | null {
  const [, kind, value] = FRAGMENT.exec(page.location.hash) ?? []
  if (value === undefined) return null
  page.history.replaceState(page.history.state, '', page.location.pathname + page.location.search)
  if (kind === SIGN_IN_FRAGMENT) return exchangeCode(page, value)
  page.sessionStorage.setItem(STORAGE_KEY, value)
  return Promise.resolve()
}

/**
 * If a code is rejected (it was already used), the page keeps its previous session; if it has no valid one, its calls
 * report that.
 */
async function exchangeCode(page: Window, code: string): Promise<void> {
  const { method, path } = exchangeSignInCodeRoute
  try {
    const response = await page.fetch(page.location.origin + path, {
      method,
      headers: { 'Content-Type': 'application/json' },
      body: JSON.stringify({ code }),
      credentials: 'omit',
      cache: 'no-store',
    })
    if (!response.ok) return
    const { session } = exchangeSignInCodeRoute.result.parse(await response.json())
    page.sessionStorage.setItem(STORAGE_KEY, session)
  } catch {
    // Millrace is unreachable; the page's other calls report that.
  }
}
