import { describe, expect, it } from 'vitest'
import { type Data, Float } from '../../src/data/value.ts'
import { parseXml } from '../../src/xml/parse-xml.ts'
import { writeXml, XmlWriteError } from '../../src/xml/write-xml.ts'
import { recorded } from './recorded.ts'

const write = (value: Data, indent = 0) => writeXml(value, { indent, declaration: false })

function problemOf(value: Data): string {
  try {
    return `written: ${write(value)}`
  } catch (error) {
    if (error instanceof XmlWriteError) return error.message
    throw error
  }
}

describe('what is written', () => {
  it('has attributes, text and children, repeats lists and self-closes empty elements', () => {
    expect(
      write({
        order: {
          '@id': '7',
          '@note': null,
          line: ['a', { '@n': 2, '#text': 'b' }, null],
          none: [],
          empty: {},
        },
      }),
    ).toBe('<order id="7" note=""><line>a</line><line n="2">b</line><line/><empty/></order>')
  })

  it('keeps the string form of every plain value', () => {
    expect(
      [null, '', 'x', true, false, 7, -0.5, 2n ** 60n, new Float(1), { '#text': new Float(2) }].map((value) =>
        write({ v: value }),
      ),
    ).toEqual([
      '<v/>',
      '<v/>',
      '<v>x</v>',
      '<v>true</v>',
      '<v>false</v>',
      '<v>7</v>',
      '<v>-0.5</v>',
      '<v>1152921504606846976</v>',
      '<v>1.0</v>',
      '<v>2.0</v>',
    ])
  })

  it('escapes the characters of markup', () => {
    expect([write({ a: `<&>"']]>\r\n&amp;` }), write({ a: { '@b': `<&>"\r\n\t` } })]).toEqual([
      `<a>&lt;&amp;&gt;"']]&gt;&#13;\n&amp;amp;</a>`,
      '<a b="&lt;&amp;&gt;&quot;&#13;&#10;&#9;"/>',
    ])
  })

  it('begins with a declaration by default', () => {
    expect(writeXml({ a: null })).toBe('<?xml version="1.0" encoding="utf-8"?>\n<a/>')
  })

  it('is indented, except where white space would become text', () => {
    const value = { a: { '@id': 1, b: ['x', { c: null }] } }
    expect(write(value, 2)).toBe('<a id="1">\n  <b>x</b>\n  <b>\n    <c/>\n  </b>\n</a>')
    expect(write({ p: { '#text': 'Read ', b: 'this' } }, 2)).toBe('<p>Read <b>this</b></p>')
  })

  it('treats names from JavaScript as ordinary names', () => {
    const value = JSON.parse('{"constructor":{"__proto__":{"@hasOwnProperty":"1"},"toString":"2"}}') as Data
    expect(write(value)).toBe(
      '<constructor><__proto__ hasOwnProperty="1"/><toString>2</toString></constructor>',
    )
  })

  it('is parsed to the same value again, for every recorded document', () => {
    const documents = recorded.flatMap(({ value }) => (value === undefined ? [] : [value]))
    const differing = documents.flatMap((value) =>
      [0, 2].filter((indent) => JSON.stringify(parseXml(write(value, indent))) !== JSON.stringify(value)),
    )
    expect([documents.length > 300, differing]).toEqual([true, []])
  })
})

describe('what is rejected', () => {
  it('names the key or value that XML cannot express', () => {
    const nested = (depth: number): Data => (depth === 0 ? null : { a: nested(depth - 1) })
    expect(
      [
        'text',
        [],
        {},
        { a: 1, b: 2 },
        { a: [1] },
        { 'a b': 1 },
        { '': 1 },
        { '?xml': 1 },
        { a: { '@': 1 } },
        { a: { '@1': 1 } },
        { a: { '1': 1 } },
        { a: { b: [[1]] } },
        { a: { '@b': {} } },
        { a: { '#text': [1] } },
        { a: '\u0001' },
        { a: { '@b': '\ud800' } },
        { a: { '#text': '\uffff' } },
        nested(66),
      ].map(problemOf),
    ).toEqual([
      ...Array.from(
        { length: 5 },
        () => "XML has one root: an object with a single key, whose value isn't a list",
      ),
      '"a b" isn\'t a valid XML name',
      '"" isn\'t a valid XML name',
      '"?xml" isn\'t a valid XML name',
      '"@" isn\'t a valid XML name',
      '"@1" isn\'t a valid XML name',
      '"1" isn\'t a valid XML name',
      ...Array.from(
        { length: 3 },
        () => 'The content of an element or attribute must be a plain value, not a list or an object',
      ),
      ...Array.from(
        { length: 3 },
        () => "The text has a character that XML doesn't allow, such as a control character",
      ),
      'The value is nested deeper than 64 levels',
    ])
  })
})
