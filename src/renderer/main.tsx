import '@fontsource-variable/inter/wght.css'
import '@fontsource-variable/jetbrains-mono/wght.css'
import './styles/index.css'
import { CSPProvider } from '@base-ui/react/csp-provider'
import { Tooltip } from '@base-ui/react/tooltip'
import { RouterProvider } from '@tanstack/react-router'
import { Fragment, StrictMode, useLayoutEffect } from 'react'
import { createRoot } from 'react-dom/client'
import { createApi } from './api/create-api.ts'
import { ApiProvider } from './api/provider.tsx'
import { openSession } from './api/session.ts'
import { ShortcutsProvider } from './components/screen/shortcuts.tsx'
import { ToastProvider, ToastRegion } from './components/screen/toast.tsx'
import { cspNonce } from './lib/csp-nonce.ts'
import { startLanguage, useShownLanguage } from './lib/i18n.ts'
import { createAppRouter } from './router.tsx'

const api = createApi({ baseUrl: window.location.origin, session: openSession(window) })
const router = createAppRouter()
const nonce = cspNonce()

listenWhileVisible()
void startLanguage().finally(() =>
  createRoot(document.querySelector('#root') as HTMLElement).render(
    <StrictMode>
      <CSPProvider {...(nonce === null ? {} : { nonce })}>
        <ApiProvider api={api}>
          <Written />
        </ApiProvider>
      </CSPProvider>
    </StrictMode>,
  ),
)

/** Everything shown, rendered again in another language; the stores above it keep their state. */
function Written() {
  const language = useShownLanguage()
  useLayoutEffect(() => {
    document.documentElement.lang = language
  }, [language])
  return (
    <ToastProvider>
      <Fragment key={language}>
        <Tooltip.Provider>
          <ShortcutsProvider>
            <RouterProvider router={router} />
          </ShortcutsProvider>
        </Tooltip.Provider>
        <ToastRegion />
      </Fragment>
    </ToastProvider>
  )
}

/**
 * A browser opens at most six connections to a host, and each tab's stream holds one. So a tab that nobody has seen
 * for half a minute closes its own; it connects again, and reloads, as soon as it is viewed. If notifications are
 * allowed, one of the hidden tabs stays connected to show them.
 */
function listenWhileVisible(): void {
  let stop: (() => void) | null = api.live.start()
  let timer: ReturnType<typeof setTimeout> | undefined
  let seen = Promise.withResolvers<void>()
  document.addEventListener('visibilitychange', () => {
    clearTimeout(timer)
    if (document.visibilityState === 'visible') {
      seen.resolve()
      stop ??= api.live.start()
      return
    }
    seen = Promise.withResolvers()
    const { promise } = seen
    timer = setTimeout(() => {
      stop?.()
      stop = null
      if (notificationsAllowed())
        void navigator.locks.request('millrace-notifications', async () => {
          if (document.visibilityState === 'hidden') stop ??= api.live.start()
          await promise
        })
    }, 30_000)
  })
}

function notificationsAllowed(): boolean {
  return window.desktop === undefined && 'Notification' in window && Notification.permission === 'granted'
}
