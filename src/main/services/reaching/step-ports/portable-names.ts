/**
 * File names that every system interprets in the same way. Flows move between computers, so a file name on one computer
 * must not mean a device, another file or part of a file on the next.
 */
import { type Said, say } from '../../../../shared/contract/base/message.ts'

/** Completes the sentence "the name … "; null if the name can be used everywhere. */
export function nameProblem(name: string): Said | null {
  const character = FORBIDDEN.exec(name)?.[0]
  if (character !== undefined) {
    const code = character.charCodeAt(0)
    const shown = character < ' ' ? say('the control character {{code}}', { code }) : character
    return say("contains {{shown}}, which Windows doesn't allow in names", { shown })
  }
  if (name.endsWith('.')) return say('ends with a dot, which Windows removes')
  if (name.endsWith(' ')) return say('ends with a space, which Windows removes')
  return DEVICES.test(name) ? say('is the name of a device on Windows') : null
}

/** A `:` would name a stream of another file. */
// oxlint-disable-next-line no-control-regex -- exactly those are meant
const FORBIDDEN = /[<>:"|?*\\\u0000-\u001f]/

/** Device names on Windows, whatever follows the dot. */
const DEVICES = /^(?:con|prn|aux|nul|conin\$|conout\$|(?:com|lpt)[0-9¹²³])\s*(?:\.|$)/i

/**
 * The name among these that Windows or macOS treats as the same file, unless the name itself is among them. On macOS,
 * some disks list names in a different Unicode normal form than they were written in.
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
