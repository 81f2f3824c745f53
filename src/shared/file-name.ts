/** Filenames from headers, forms and URLs. */

/** The filename in a `Content-Disposition` (RFC 6266); null if there is none. */
export function fileNameIn(disposition: string): string | null {
  const [, encoded] = /filename\*\s*=\s*utf-8''([^;]+)/i.exec(disposition) ?? []
  if (encoded !== undefined) return decoded(encoded)
  const [, quoted, bare] = /filename\s*=\s*(?:"((?:[^"\\]|\\.)*)"|([^;\s]+))/i.exec(disposition) ?? []
  return quoted?.replaceAll(/\\(.)/g, '$1') ?? bare ?? null
}

/** A name on one line of at most 255 characters; empty if nothing is left. */
export function cleanFileName(name: string): string {
  // oxlint-disable-next-line no-control-regex -- a name with line breaks could pass for a header or a log line
  const oneLine = name.toWellFormed().replaceAll(/[\u0000-\u001f\u007f]/g, '')
  return oneLine.trim().slice(0, 255).toWellFormed()
}

/** Removes percent encoding; returns the string itself if it isn't valid. */
export function decoded(text: string): string {
  try {
    return decodeURIComponent(text)
  } catch {
    return text
  }
}
