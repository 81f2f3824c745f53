/**
 * Whether a link can go to this URL: relative, `http:`, `https:` or `mailto:`. Others, such as `javascript:`, run code.
 */
export function isSafeUrl(url: string): boolean {
  // Parsed as in browsers, which ignore line breaks in `java\nscript:`.
  const parsed = URL.parse(url, 'https://relative.invalid/')
  return parsed !== null && SAFE.has(parsed.protocol)
}

const SAFE: ReadonlySet<string> = new Set(['http:', 'https:', 'mailto:'])
