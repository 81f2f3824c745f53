// Runs before any module of the page and before its first paint.

// zod would compile schemas with `new Function`, which the page's policy refuses. It must know before a schema is made,
// and modules are evaluated in an order that bundling decides.
globalThis.__zod_globalConfig = { jitless: true }

// A chosen theme never flashes the other one; components/theme.ts keeps it up to date.
try {
  const theme = localStorage.getItem('millrace.theme')
  if (theme === 'light' || theme === 'dark') document.documentElement.dataset.theme = theme
} catch {
  // Storage may be switched off; the system's theme holds then.
}

// Nor is the page announced in another language than it is written in; lib/i18n.ts keeps it up to date.
let language = null
try {
  language = localStorage.getItem('millrace.language')
} catch {
  // The browser's language holds then.
}
if (language !== 'en' && (language === 'de' || /^de\b/i.test(navigator.language))) {
  document.documentElement.lang = 'de'
}
