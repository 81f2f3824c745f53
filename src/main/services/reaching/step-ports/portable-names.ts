/**
 * Names of files that every system reads the same way. Flows move between computers: what is a file on one must not be a
 * device, another file or a part of a file on the next.
 */

/** Completes the sentence "the name … "; null if the name can be used everywhere. */
export function nameProblem(name: string): string | null {
  const character = FORBIDDEN.exec(name)?.[0]
  if (character !== undefined) {
    const shown = character < ' ' ? `the control character ${character.charCodeAt(0)}` : character
    return `contains ${shown}, which Windows doesn't allow in names`
  }
  if (/[. ]$/.test(name)) return `ends with a ${name.endsWith('.') ? 'dot' : 'space'}, which Windows removes`
  if (DEVICES.test(name)) return 'is the name of a device on Windows'
  return null
}

/** `:` would name a stream of another file. */
// oxlint-disable-next-line no-control-regex -- exactly those are meant
const FORBIDDEN = /[<>:"|?*\\\u0000-\u001f]/

/** Whatever follows the dot. */
const DEVICES = /^(?:con|prn|aux|nul|conin\$|conout\$|(?:com|lpt)[0-9¹²³])\s*(?:\.|$)/i

/**
 * The name among these that Windows or macOS takes for the same file, unless the name itself is among them. Some disks
 * of macOS list a name in another normal form than it was written in.
 */
export function twinOf(
  name: string,
  names: readonly string[],
  platform: NodeJS.Platform = process.platform,
): string | null {
  const form = platform === 'darwin' ? (one: string) => one.normalize('NFC') : (one: string) => one
  if (names.some((other) => form(other) === form(name))) return null
  const folded = fold(name)
  return names.find((other) => fold(other) === folded) ?? null
}

const fold = (name: string) => name.normalize('NFC').toUpperCase().toLowerCase()
