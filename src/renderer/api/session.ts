import { exchangeSignInCodeRoute, SIGN_IN_FRAGMENT } from '../../shared/contract/sign-in-codes.ts'

/** Who the page acts as: the bearer made at this start of the program. */
export interface Session {
  /** Null where nobody handed one over; every call then answers 401. */
  bearer(): Promise<string | null>
  /** Asks again after a 401: the program may have been started anew behind the page. */
  renew(): Promise<string | null>
  /** The user as whom this tab acts; null: the user of this machine. */
  actingAs(): string | null
  /** From the next load of the page on, which this begins. */
  actAs(userId: string | null): void
  /** The same screen at another address of the program, where the page is as signed in as here. */
  moveTo(url: string): void
}

const STORAGE_KEY = 'millrace.session'
const ACTING_KEY = 'millrace.acting-as'
const FRAGMENT = /^(#session=|#code=)([A-Za-z0-9_-]+)$/

/**
 * The desktop app hands the bearer over through the preload. In a browser it arrives in the fragment of the address,
 * which no server and no log ever sees, or is exchanged for a code that arrives there; it moves to the tab's own storage,
 * and the fragment leaves the address at once.
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
  // A fresh link opened in this very tab changes the fragment alone, which loads nothing by itself.
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

/** Null where the address brings nothing; else resolves once the tab is signed in, or stays as it was. */
function takeFragment(page: Window): Promise<void> | null {
  const [, kind, value] = FRAGMENT.exec(page.location.hash) ?? []
  if (value === undefined) return null
  page.history.replaceState(page.history.state, '', page.location.pathname + page.location.search)
  if (kind === SIGN_IN_FRAGMENT) return exchangeCode(page, value)
  page.sessionStorage.setItem(STORAGE_KEY, value)
  return Promise.resolve()
}

/** A code that is not taken (it was used already) leaves the page as signed in as it was; its calls then say so. */
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
    // The program is away; the page's own calls say that.
  }
}
