// Runs before any module of the page and before its first paint.

// zod would compile schemas with `new Function`, which the page's policy refuses. It must know before a schema is made,
// and modules are evaluated in an order that bundling decides.
globalThis.__zod_globalConfig = { jitless: true }

// A chosen theme never flashes the other one; components/screen/theme.ts keeps it up to date.
try {
  const theme = localStorage.getItem('millrace.theme')
  if (theme === 'light' || theme === 'dark') document.documentElement.dataset.theme = theme
} catch {
  // Storage may be switched off: then the system's theme applies.
}

// The page must not be announced in the wrong language either; lib/i18n.ts keeps it up to date.
let language = null
try {
  language = localStorage.getItem('millrace.language')
} catch {
  // Then the browser's language applies.
}
if (language !== 'en' && (language === 'de' || /^de\b/i.test(navigator.language))) {
  document.documentElement.lang = 'de'
}

// The frame in the page itself (features/shell/frame.tsx) is as wide as the navigation was left, and marks the open
// screen as the navigation does (features/shell/sidebar.tsx).
try {
  if (localStorage.getItem('millrace.sidebar') === 'narrow')
    document.documentElement.dataset.sidebar = 'narrow'
  // Help next to it is closed in a window without room for both (features/shell/help/use-help.tsx).
  if (localStorage.getItem('millrace.help') === 'open' && innerWidth >= 1280)
    document.documentElement.dataset.help = 'open'
} catch {
  // Then the navigation is wide.
}
const opened = /^\/[a-z-]*/.exec(location.pathname)?.[0] ?? '/'
const marked = new CSSStyleSheet()
marked.replaceSync(
  `[data-frame] a[href="${opened}"] { background: var(--selected); color: var(--accent-text); font-weight: 500 }`,
)
document.adoptedStyleSheets = [marked]
