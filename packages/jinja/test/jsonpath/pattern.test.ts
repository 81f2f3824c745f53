import { RE2JS } from 're2js'
import { beforeAll, describe, expect, it } from 'vitest'
import { checkJsonPath, selectJsonPath, setPlusEvaluator } from '../../src/jsonpath/index.ts'
import { randomFrom } from '../../../../test/helpers/random.ts'

// Millrace sets the evaluator for the whole process.
beforeAll(() => setPlusEvaluator(null))

const matched = (pattern: string, texts: readonly string[]) =>
  selectJsonPath('$.texts[?match(@, $.pattern)]', { texts, pattern })
const found = (pattern: string, texts: readonly string[]) =>
  selectJsonPath('$.texts[?search(@, $.pattern)]', { texts, pattern })

describe('patterns', () => {
  it.each<[string, string[], string[]]>([
    ['', ['', 'a'], ['']],
    ['ab', ['ab', 'abc', 'a'], ['ab']],
    ['ab|c', ['ab', 'c', 'ac', 'abc'], ['ab', 'c']],
    ['a|', ['', 'a', 'aa'], ['', 'a']],
    ['a*', ['', 'aaa', 'ab'], ['', 'aaa']],
    ['(ab)+', ['', 'ab', 'abab', 'aba'], ['ab', 'abab']],
    ['(a*)*b', ['b', 'aab', 'aa'], ['b', 'aab']],
    ['a{2}', ['a', 'aa', 'aaa'], ['aa']],
    ['a{2,}', ['a', 'aa', 'aaa'], ['aa', 'aaa']],
    ['a{1,2}', ['', 'a', 'aa', 'aaa'], ['a', 'aa']],
    ['a{0}b', ['b', 'ab'], ['b']],
    ['.', ['a', '\n', '\r', '\u2028', '\u{1F600}', ''], ['a', '\u2028', '\u{1F600}']],
    ['[^a]', ['a', 'b', '\n'], ['b', '\n']],
    ['[-a]', ['-', 'a', 'b'], ['-', 'a']],
    ['[a-]', ['-', 'a', 'b'], ['-', 'a']],
    ['[^-]', ['-', 'a'], ['a']],
    ['[--]', ['-', 'a'], ['-']],
    ['[a-c\\-^.$]', ['b', '-', '^', '.', '$', 'd'], ['b', '-', '^', '.', '$']],
    ['[\\p{Lu}0-9]', ['Ä', '5', 'ä'], ['Ä', '5']],
    ['[^\\p{L}\\P{N}]', ['5', 'a', '-'], ['5']],
    ['\\p{Cn}', ['\u0378', 'a'], ['\u0378']],
    ['\\P{L}', ['1', 'a'], ['1']],
    ['\\(\\)\\*\\+\\-\\.\\?\\[\\\\\\]\\^\\{\\|\\}', ['()*+-.?[\\]^{|}'], ['()*+-.?[\\]^{|}']],
    ['\\n\\r\\t', ['\n\r\t', 'nrt'], ['\n\r\t']],
    ['^ab$', ['ab', 'xab'], ['ab']],
    ['a^b', ['ab', 'a^b'], []],
    ['\u{1F600}{2}', ['\u{1F600}\u{1F600}', '\u{1F600}'], ['\u{1F600}\u{1F600}']],
  ])('%j matches as a whole', (pattern, texts, expected) => {
    expect(matched(pattern, texts)).toEqual(expected)
  })

  it.each<[string, string[], string[]]>([
    ['', ['', 'a'], ['', 'a']],
    ['b', ['abc', 'ac'], ['abc']],
    ['^b', ['abc', 'bc'], ['bc']],
    ['b$', ['abc', 'ab'], ['ab']],
    ['^$', ['', 'a'], ['']],
    ['$|^b', ['a', 'b'], ['a', 'b']],
    ['a.c', ['xxabcxx', 'xxa\ncxx'], ['xxabcxx']],
  ])('%j is found in a part', (pattern, texts, expected) => {
    expect(found(pattern, texts)).toEqual(expected)
  })

  it('match what re2js matches', () => {
    const random = randomFrom(7)
    const pick = <T>(choices: readonly T[]): T => choices[random(choices.length)] as T
    const atom = (depth: number): string =>
      pick([
        () => pick(['a', 'b', 'c']),
        () => pick(['[ab]', '[^a]', '[a-c]', '[^b-c]', '\\p{Ll}', '\\P{L}']),
        () => (depth > 3 ? 'b' : `(${branches(depth + 1)})`),
      ])()
    const piece = (depth: number) =>
      `${atom(depth)}${pick(['', '', '', '*', '+', '?', '{2}', '{1,3}', '{0,}'])}`
    const branches = (depth: number): string =>
      Array.from({ length: 1 + random(2) }, () =>
        Array.from({ length: random(4) }, () => piece(depth)).join(''),
      ).join('|')

    const differing: unknown[] = []
    let matches = 0
    for (let round = 0; round < 600; round++) {
      const pattern = `${pick(['', '', '^'])}${branches(0)}${pick(['', '', '$'])}`
      const texts = Array.from({ length: 8 }, () =>
        Array.from({ length: random(7) }, () => pick(['a', 'b', 'c', 'ä', '1'])).join(''),
      )
      const reference = RE2JS.compile(pattern)
      const ours = { match: matched(pattern, texts), search: found(pattern, texts) }
      const theirs = {
        match: texts.filter((text) => reference.testExact(text)),
        search: texts.filter((text) => reference.test(text)),
      }
      matches += ours.match.length
      if (JSON.stringify(ours) !== JSON.stringify(theirs)) differing.push({ pattern, texts, ours, theirs })
    }
    expect(differing).toEqual([])
    expect(matches).toBeGreaterThan(200)
  })

  it('are rejected with the position and a sentence if they are in the path and not an I-Regexp', () => {
    const patterns = [
      '(', ')', 'a)', '[', '[]', '[^]', '[a', '[a-', '[b-a]', '[a-z-9]', '[[]', '*', 'a**', 'a*?', '+', '{2}', 'a{', 'a{,2}', 'a{3,2}', 'a}',
      ']', '(?:a)', '(?i)a', '\\d', '\\w', '\\s', '\\S', '\\b', '\\1', '\\/', '\\', '\\p', '\\p{Greek}', '\\p{LU}', '\\u0041', '[\\d]', '\uD800',
    ] // prettier-ignore
    const problemOf = (pattern: string) => checkJsonPath(`$[?match(@, ${JSON.stringify(pattern)})]`)?.message
    expect(patterns.map((pattern) => problemOf(pattern)?.replace(/^.*character 13: /s, '') ?? pattern))
      .toMatchInlineSnapshot(`
      [
        "the pattern "(" is not an I-Regexp (RFC 9485): character 1: this parenthesis is never closed",
        "the pattern ")" is not an I-Regexp (RFC 9485): character 1: this parenthesis is never opened",
        "the pattern "a)" is not an I-Regexp (RFC 9485): character 2: this parenthesis is never opened",
        "the pattern "[" is not an I-Regexp (RFC 9485): character 1: this bracket is never closed",
        "the pattern "[]" is not an I-Regexp (RFC 9485): character 1: these brackets are empty",
        "the pattern "[^]" is not an I-Regexp (RFC 9485): character 1: these brackets are empty",
        "the pattern "[a" is not an I-Regexp (RFC 9485): character 1: this bracket is never closed",
        "the pattern "[a-" is not an I-Regexp (RFC 9485): character 4: the pattern ends inside brackets",
        "the pattern "[b-a]" is not an I-Regexp (RFC 9485): character 2: this range ends before it begins",
        "the pattern "[a-z-9]" is not an I-Regexp (RFC 9485): character 5: write "-" itself as "\\-" between brackets",
        "the pattern "[[]" is not an I-Regexp (RFC 9485): character 2: write "[" itself as "\\[" between brackets",
        "the pattern "*" is not an I-Regexp (RFC 9485): character 1: "*" has nothing to repeat",
        "the pattern "a**" is not an I-Regexp (RFC 9485): character 3: "*" has nothing to repeat",
        "the pattern "a*?" is not an I-Regexp (RFC 9485): character 3: "?" has nothing to repeat",
        "the pattern "+" is not an I-Regexp (RFC 9485): character 1: "+" has nothing to repeat",
        "the pattern "{2}" is not an I-Regexp (RFC 9485): character 1: "{" has nothing to repeat",
        "the pattern "a{" is not an I-Regexp (RFC 9485): character 2: write a count as {2}, {2,} or {2,5}",
        "the pattern "a{,2}" is not an I-Regexp (RFC 9485): character 2: write a count as {2}, {2,} or {2,5}",
        "the pattern "a{3,2}" is not an I-Regexp (RFC 9485): character 7: the count ends at 2, before it begins at 3",
        "the pattern "a}" is not an I-Regexp (RFC 9485): character 2: write "}" itself as "\\}"",
        "the pattern "]" is not an I-Regexp (RFC 9485): character 1: write "]" itself as "\\]"",
        "the pattern "(?:a)" is not an I-Regexp (RFC 9485): character 2: a group begins with "(" only; there is no "(?"",
        "the pattern "(?i)a" is not an I-Regexp (RFC 9485): character 2: a group begins with "(" only; there is no "(?"",
        "the pattern "\\d" is not an I-Regexp (RFC 9485): character 1: write "[0-9]" for "\\d"",
        "the pattern "\\w" is not an I-Regexp (RFC 9485): character 1: write "[A-Za-z0-9_]" for "\\w"",
        "the pattern "\\s" is not an I-Regexp (RFC 9485): character 1: write "[ \\t\\n\\r]" for "\\s"",
        "the pattern "\\S" is not an I-Regexp (RFC 9485): character 1: write "[^ \\t\\n\\r]" for "\\S"",
        "the pattern "\\b" is not an I-Regexp (RFC 9485): character 1: "\\b" isn't an escape sequence",
        "the pattern "\\1" is not an I-Regexp (RFC 9485): character 1: "\\1" isn't an escape sequence",
        "the pattern "\\/" is not an I-Regexp (RFC 9485): character 1: write "/" for "\\/"",
        "the pattern "\\" is not an I-Regexp (RFC 9485): character 1: "\\" isn't an escape sequence",
        "the pattern "\\p" is not an I-Regexp (RFC 9485): character 1: write a Unicode category as \\p{L} or \\p{Lu}",
        "the pattern "\\p{Greek}" is not an I-Regexp (RFC 9485): character 1: write a Unicode category as \\p{L} or \\p{Lu}",
        "the pattern "\\p{LU}" is not an I-Regexp (RFC 9485): character 1: write a Unicode category as \\p{L} or \\p{Lu}",
        "the pattern "\\u0041" is not an I-Regexp (RFC 9485): character 1: "\\u" isn't an escape sequence",
        "the pattern "[\\d]" is not an I-Regexp (RFC 9485): character 2: write "[0-9]" for "\\d"",
        "JSONPath "$[?match(@, "\\ud800")]", character 14: this escape is half of a surrogate pair; write both halves, as in "\\uD83D\\uDE00"",
      ]
    `)
  })
})
