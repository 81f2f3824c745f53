import {
  exchangeSignInCodeRoute,
  type PageSession,
  SIGN_IN_FRAGMENT,
} from '../../shared/contract/page-sessions.ts'

/** Who the page acts as: on this computer, with the bearer token created at this start of the program. */
export interface Session {
  /** Absent if the page is opened on this computer. */
  readonly remote?: PageSession
  /** Null if none was handed over; every call then gets a 401. */
  bearer(): Promise<string | null>
  /** Asks again after a 401: the program may have been restarted. */
  renew(): Promise<string | null>
  /** The user this tab acts as; null: the user of this machine. */
  actingAs(): string | null
  /** Takes effect with the next load of the page, which this starts. */
  actAs(userId: string | null): void
  /** The same screen at another URL of the program, signed in as here. */
  moveTo(url: string): void
}

const STORAGE_KEY = 'millrace.session'
const ACTING_KEY = 'millrace.acting-as'
const FRAGMENT = /^(#session=|#code=)([A-Za-z0-9_-]+)$/

/**
 * The desktop app hands the bearer token over through the preload script. In a browser it arrives in the URL's
 * fragment, which no server or log ever sees, or is exchanged for a code that arrives there; it moves to the tab's
 * own storage, and the fragment is removed at once.
 */
export function openSession(page: Window): Session {
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

  let isTaken = takeFragment(page)
  // A fresh link opened in this same tab changes only the fragment, which loads nothing by itself.
  page.addEventListener('hashchange', () => {
    const taken = takeFragment(page)
    if (taken === null) return
    isTaken = taken
    void taken.then(() => page.location.reload())
  })
  const stored = async () => {
    await isTaken
    return page.sessionStorage.getItem(STORAGE_KEY)
  }
  return {
    ...acting,
    bearer: stored,
    renew: stored,
    moveTo(url) {
      const { pathname, search } = page.location
      page.location.assign(
        `${url}${pathname}${search}#session=${page.sessionStorage.getItem(STORAGE_KEY) ?? ''}`,
      )
    },
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

/** If a code is rejected (it was already used), the page stays signed in as it was; its calls then report it. */
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
    // The program is away; the page's own calls report that.
  }
}
