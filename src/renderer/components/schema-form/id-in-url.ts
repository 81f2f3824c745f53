/**
 * The ID of a record in the URL of its page: the part that matches `{id}` in a pattern, otherwise the last part of its
 * path. Null if the text isn't a URL.
 */
export function idInUrl(text: string, patterns: readonly string[]): string | null {
  const url = /^https?:\/\//i.test(text.trim()) ? URL.parse(text.trim()) : null
  if (url === null) return null
  for (const pattern of patterns) {
    const id = idAt(url, pattern)
    if (id !== null) return id
  }
  return partsOf(url.pathname).at(-1) ?? null
}

/** `*` is any part of the host or the path; `{id}` can also be the value of a query parameter. */
function idAt(url: URL, pattern: string): string | null {
  const [place = '', query = ''] = pattern.replace(/^https?:\/\//i, '').split('?')
  const [host = '', ...path] = place.split('/')
  const parts = partsOf(url.pathname)
  const hostParts = host.split('.')
  const isHere =
    hostParts.length === url.hostname.split('.').length &&
    url.hostname.split('.').every((part, at) => hostParts[at] === '*' || hostParts[at] === part)
  if (!isHere || !path.every((part, at) => part === '*' || part === '{id}' || part === parts[at])) return null
  const parameter = query.split('&').find((pair) => pair.endsWith('={id}'))
  if (parameter !== undefined) return url.searchParams.get(parameter.slice(0, -'={id}'.length))
  return parts[path.indexOf('{id}')] ?? null
}

function partsOf(path: string): string[] {
  return path.split('/').flatMap((part) => (part === '' ? [] : decode(part)))
}

function decode(part: string): string {
  try {
    return decodeURIComponent(part)
  } catch {
    return part
  }
}
