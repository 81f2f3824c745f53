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
const FRAGMENT = /^#session=([A-Za-z0-9_-]+)$/

/**
 * The desktop app hands the bearer over through the preload. In a browser it arrives in the fragment of the address,
 * which no server and no log ever sees; it moves to the tab's own storage and leaves the address at once.
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

  takeFragment(page)
  // A fresh link opened in this very tab changes the fragment alone, which loads nothing by itself.
  page.addEventListener('hashchange', () => {
    if (takeFragment(page)) page.location.reload()
  })
  const stored = () => Promise.resolve(page.sessionStorage.getItem(STORAGE_KEY))
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

function takeFragment(page: Window): boolean {
  const bearer = FRAGMENT.exec(page.location.hash)?.[1]
  if (bearer === undefined) return false
  page.sessionStorage.setItem(STORAGE_KEY, bearer)
  page.history.replaceState(page.history.state, '', page.location.pathname + page.location.search)
  return true
}
