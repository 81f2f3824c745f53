import { spend } from '../base/limits.ts'
import { pointLength, Points } from '../text/code-points.ts'

export interface LinkOptions {
  /** Displayed URLs are cut to this many characters; null keeps them. */
  readonly limit: number | null
  readonly rel: string
  readonly target: string | null
  readonly schemes: readonly string[]
}

/** Turns the URLs in already escaped text into links. */
export function linkUrls(html: string, options: LinkOptions): string {
  return html
    .split(/(\s+)/)
    .map((word) => linkWord(word, options))
    .join('')
}

// linear: of at most `MAX_WORD` characters
const URL_PATTERN = new RegExp(
  '^((https?://|www\\.)(([\\p{L}\\p{N}_%-]+\\.)+)?([a-z]{2,63}|xn--[\\p{L}\\p{N}_%]{2,59})' +
    '|([\\p{L}\\p{N}_%-]{2,63}\\.)+(com|net|int|edu|gov|org|info|mil)' +
    '|(https?://)((\\d{1,3}(\\.\\d{1,3}){3})|(\\[([\\da-f]{0,4}:){2}([\\da-f]{0,4}:?){1,6}\\])))' +
    '(?::\\d{1,5})?(?:[/?#]\\S*)?$',
  'iu',
)
const EMAIL_PATTERN = /^\S+@[\p{L}\p{N}_][\p{L}\p{N}_.-]*\.[\p{L}\p{N}_]+$/u

/** Longer words aren't URLs that a person wrote. */
const MAX_WORD = 4096

function linkWord(word: string, options: LinkOptions): string {
  if (word.length > MAX_WORD || word === '' || !/[.:@]/.test(word)) return word
  spend(30 + word.length)
  const { head, middle, tail } = balance(trimWord(word))
  return head + linkAddress(middle, options) + tail
}

interface Word {
  readonly head: string
  readonly middle: string
  readonly tail: string
}

function trimWord(word: string): Word {
  const head = /^(?:[(<]|&lt;)+/.exec(word)?.[0] ?? ''
  let end = word.length
  for (;;) {
    const rest = word.slice(head.length, end)
    if (/[)>.,]$/.test(rest)) end--
    else if (rest.endsWith('&gt;')) end -= 4
    else break
  }
  return { head, middle: word.slice(head.length, end), tail: word.slice(end) }
}

/** Closing brackets that match an opening one inside the URL are part of it. */
function balance(word: Word): Word {
  let { middle, tail } = word
  for (const [open, close] of [
    ['(', ')'],
    ['<', '>'],
    ['&lt;', '&gt;'],
  ] as const) {
    const opened = middle.split(open).length - 1
    if (opened <= middle.split(close).length - 1) continue
    const movable = Math.min(opened, tail.split(close).length - 1)
    for (let count = 0; count < movable; count++) {
      const end = tail.indexOf(close) + close.length
      middle += tail.slice(0, end)
      tail = tail.slice(end)
    }
  }
  return { head: word.head, middle, tail }
}

function linkAddress(address: string, options: LinkOptions): string {
  const rel = options.rel === '' ? '' : ` rel="${options.rel}"`
  const target = options.target === null ? '' : ` target="${options.target}"`
  const shown =
    options.limit !== null && pointLength(address) > options.limit
      ? `${new Points(address).slice(0, options.limit)}...`
      : address
  if (URL_PATTERN.test(address)) {
    const href = /^https?:\/\//.test(address) ? address : `https://${address}`
    return `<a href="${href}"${rel}${target}>${shown}</a>`
  }
  if (address.startsWith('mailto:') && EMAIL_PATTERN.test(address.slice(7))) {
    return `<a href="${address}">${address.slice(7)}</a>`
  }
  if (
    address.includes('@') &&
    !address.startsWith('www.') &&
    !address.includes(':') &&
    EMAIL_PATTERN.test(address)
  ) {
    return `<a href="mailto:${address}">${address}</a>`
  }
  const scheme = options.schemes.find((prefix) => address !== prefix && address.startsWith(prefix))
  return scheme === undefined ? address : `<a href="${address}"${rel}${target}>${address}</a>`
}
