/** Splits a command line as Windows programs do, whichever shell passed it on. */
import { endOfOpenPart } from './open-text.ts'

/** Treats quotes and backslashes like the Windows C library. */
export function splitCommandLine(line: string): string[] {
  const words: string[] = []
  let word: string | null = null
  let inQuotes = false
  for (let at = 0; at < line.length;) {
    const open = endOfOpenPart(line, at)
    const sign = line[at] as string
    if (open > at) {
      word = (word ?? '') + line.slice(at, open)
      at = open
    } else if (/[ \t]/.test(sign) && !inQuotes) {
      if (word !== null) words.push(word)
      word = null
      at += 1
    } else if (sign === '\\') {
      const run = /^\\+/.exec(line.slice(at, at + 1_000))?.[0].length ?? 1
      at += run
      const isBeforeQuote = line[at] === '"'
      word = (word ?? '') + '\\'.repeat(isBeforeQuote ? Math.floor(run / 2) : run)
      if (isBeforeQuote && run % 2 === 1) {
        word += '"'
        at += 1
      }
    } else if (sign === '"') {
      word ??= ''
      if (inQuotes && line[at + 1] === '"') {
        word += '"'
        at += 2
      } else {
        inQuotes = !inQuotes
        at += 1
      }
    } else {
      word = (word ?? '') + sign
      at += 1
    }
  }
  return word === null ? words : [...words, word]
}
