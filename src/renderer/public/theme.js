// Runs before the first paint, so that a chosen theme never flashes the other one. main.tsx keeps it up to date.
try {
  const theme = localStorage.getItem('millrace.theme')
  if (theme === 'light' || theme === 'dark') document.documentElement.dataset.theme = theme
} catch {
  // Storage may be switched off; the system's theme holds then.
}
