/* oxlint-disable no-control-regex -- the first bytes of files aren't text */
/** Detects a file's type from its first bytes, because its name and declared type are only what the sender claims. */

/** The first bytes as Latin-1 characters. */
const IMAGES: readonly (readonly [contentType: string, beginning: RegExp])[] = [
  ['image/png', /^\u0089PNG\r\n/],
  ['image/jpeg', /^ÿØÿ/],
  ['image/gif', /^GIF8[79]a/],
  ['image/webp', /^RIFF[^]{4}WEBP/],
]

/** The content type of an image that every browser shows; null for anything else. */
export function imageTypeOf(content: Uint8Array): string | null {
  const start = startOf(content)
  return IMAGES.find(([, beginning]) => beginning.test(start))?.[0] ?? null
}

/** Whether the content matches one of these extensions. Any content matches an unknown extension. */
export function couldBe(content: Uint8Array, extensions: readonly string[]): boolean {
  const start = startOf(content)
  return extensions.some((extension) => BEGINNINGS.get(extension)?.test(start) !== false)
}

/** The extension of a filename, such as `.pdf`; empty if it has none. */
export function extensionOf(filename: string): string {
  return /\.[a-z0-9]{1,10}$/i.exec(filename)?.[0].toLowerCase() ?? ''
}

export function startOf(content: Uint8Array): string {
  return Buffer.from(content.subarray(0, 1_024)).toString('latin1')
}

/** Text has no NUL character, but nearly everything else does. */
const TEXT = /^[^\u0000]*$/
const ZIP = /^PK(?:\u0003\u0004|\u0005\u0006)/
const OLE = /^ÐÏ\u0011à/
const MPEG_4 = /^[^]{4}ftyp/
const [PNG, JPEG, GIF, WEBP] = IMAGES.map(([, beginning]) => beginning)

const BEGINNINGS: ReadonlyMap<string, RegExp | undefined> = new Map([
  ['.png', PNG],
  ['.jpg', JPEG],
  ['.jpeg', JPEG],
  ['.gif', GIF],
  ['.webp', WEBP],
  ['.pdf', /%PDF-/],
  ...['.zip', '.docx', '.xlsx', '.pptx', '.odt', '.ods', '.odp'].map((one) => [one, ZIP] as const),
  ...['.doc', '.xls', '.ppt', '.msg'].map((one) => [one, OLE] as const),
  ...['.heic', '.mp4', '.m4a', '.mov'].map((one) => [one, MPEG_4] as const),
  ...['.txt', '.csv', '.tsv', '.json', '.xml', '.md', '.ics', '.vcf', '.log', '.svg'].map(
    (one) => [one, TEXT] as const,
  ),
])
