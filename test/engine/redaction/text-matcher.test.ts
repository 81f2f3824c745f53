import { expect, test } from 'vitest'
import { type Span, TextMatcher } from '../../../src/main/engine/redaction/text-matcher.ts'
import { randomFrom } from '../../helpers/random.ts'

/** Does the same by comparing every word with every place. */
function findOneByOne(text: string, words: readonly string[]): Span[] {
  const isHidden = Array.from({ length: text.length }, () => false)
  for (const word of words)
    for (let at = text.indexOf(word); at !== -1; at = text.indexOf(word, at + 1))
      isHidden.fill(true, at, at + word.length)
  const spans: Span[] = []
  for (let at = 0; at < text.length; at++) {
    if (!isHidden[at]) continue
    const start = at
    while (isHidden[at]) at++
    spans.push({ start, end: at })
  }
  return spans
}

/** Adjacent matches count as one. */
function joined(spans: readonly Span[]): Span[] {
  const all: Span[] = []
  for (const span of spans) {
    const last = all.at(-1)
    if (last?.end === span.start) all[all.length - 1] = { start: last.start, end: span.end }
    else all.push(span)
  }
  return all
}

test.each([
  ['two letters, so that words overlap', 'ab', 40],
  ['few letters', 'abcd', 400],
  ['letters beyond Latin', 'aé\u4e2d\u{1f600}'.split(''), 200],
  ['many letters and thousands of words', 'abcdefghijklmnopqrstuvwxyz0123456789', 5_000],
] as const)('every word is found wherever it is: %s', (_what, letters, count) => {
  const random = randomFrom(count)
  const textOf = (length: number) => Array.from({ length }, () => letters[random(letters.length)]).join('')
  const words = Array.from({ length: count }, () => textOf(12 + random(8)))
  const matcher = new TextMatcher()
  for (const [index, word] of words.entries()) {
    matcher.add(word)
    if (index % Math.ceil(count / 20) !== 0) continue
    const known = words.slice(0, index + 1)
    const planted = Array.from({ length: 10 }, () => known[random(known.length)] ?? '')
    const text = planted.map((one) => textOf(random(30)) + one).join('')
    expect(joined(matcher.find(text))).toEqual(findOneByOne(text, known))
  }
})
