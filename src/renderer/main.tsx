import '@fontsource-variable/inter/wght.css'
import '@fontsource-variable/jetbrains-mono/wght.css'
import './styles/index.css'
import { CSPProvider } from '@base-ui/react/csp-provider'
import { Tooltip } from '@base-ui/react/tooltip'
import { RouterProvider } from '@tanstack/react-router'
import { Fragment, StrictMode, useLayoutEffect } from 'react'
import type { ReactNode } from 'react'
import { createRoot } from 'react-dom/client'
import { type Api, createApi } from './api/create-api.ts'
import { ApiProvider } from './api/provider.tsx'
import { asSession, isRemote, readRemoteSession } from './api/remote-session.ts'
import { openSession, type Session } from './api/session.ts'
import { ShortcutsProvider } from './components/screen/shortcuts.tsx'
import { ToastProvider, ToastRegion } from './components/screen/toast.tsx'
import { cspNonce } from './lib/csp-nonce.ts'
import { startLanguage, useShownLanguage } from './lib/i18n.ts'
import { createAppRouter } from './router.tsx'

const ASK_AGAIN_MS = 1_000
const nonce = cspNonce()

if (isRemote(window)) void startRemote()
else void startLocal()

/** A tab that was opened without a session, such as by a bookmark, gets it from the other tabs, or waits for one. */
async function startLocal(): Promise<void> {
  const session = openSession(window)
  if ((await session.bearer()) !== null || window.desktop !== undefined) return startApp(session)
  const { WaitingPage } = await import('./features/sign-in/waiting-page.tsx')
  show(<WaitingPage />)
  // The app replaces this page, in which nothing was typed.
  while ((await session.bearer()) === null) await new Promise((resolve) => setTimeout(resolve, ASK_AGAIN_MS))
  window.location.reload()
}

/** On another device, the app itself starts once somebody is signed in. */
async function startRemote(): Promise<void> {
  const remote = await readRemoteSession(window).catch(() => null)
  if (remote !== null) return startApp(asSession(window, remote))
  const { SignInPage } = await import('./features/sign-in/sign-in-page.tsx')
  show(<SignInPage />)
}

function startApp(session: Session): void {
  const api = createApi({ baseUrl: window.location.origin, session })
  const router = createAppRouter()
  listenWhileVisible(api)
  api.deletions.follow(window)
  // Not a hook, because changing the language remounts everything.
  window.desktop?.onOpen((path) => router.history.push(path))
  // After signing out, here or elsewhere, the page loads again and asks to sign in.
  if (api.remote !== null)
    api.live.connection.subscribe(({ connection }) => {
      if (connection === 'refused') window.location.reload()
    })
  show(
    <ApiProvider api={api}>
      <Written router={router} />
    </ApiProvider>,
  )
}

function show(content: ReactNode): void {
  void startLanguage().finally(() =>
    createRoot(document.querySelector('#root') as HTMLElement).render(
      <StrictMode>
        <CSPProvider {...(nonce === null ? {} : { nonce })}>{content}</CSPProvider>
      </StrictMode>,
    ),
  )
}

/** Everything that is shown. Another language renders it again; the stores above it keep their state. */
function Written({ router }: { readonly router: ReturnType<typeof createAppRouter> }) {
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
function listenWhileVisible(api: Api): void {
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
