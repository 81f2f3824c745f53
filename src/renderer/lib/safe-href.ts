/** The URL if it is http, https or mailto, otherwise nothing: a user's value must never run as a script. */
export function safeHref(value: string): string | undefined {
  try {
    return ['http:', 'https:', 'mailto:'].includes(new URL(value).protocol) ? value : undefined
  } catch {
    return undefined
  }
}
