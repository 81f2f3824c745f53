import { describe, expect, it } from 'vitest'
import { UnknownCharsetError } from '../../src/data/decode-text.ts'
import { decodeXml } from '../../src/xml/decode-xml.ts'
import { parseXml, XmlError } from '../../src/xml/parse-xml.ts'

const read = (text: string, limits = {}) => JSON.stringify(parseXml(text, limits))

function problemOf(text: string, limits = {}): string {
  try {
    return `accepted: ${read(text, limits)}`
  } catch (error) {
    if (error instanceof XmlError) return error.message
    throw error
  }
}

describe('what is rejected', () => {
  it('is reported with line, column and what to do', () => {
    const texts = [
      '',
      'x',
      '<a>',
      '<a',
      '<a b',
      '<a b="1',
      '<a b="1" b="2"/>',
      '<a>\n  <b>\n</a>',
      '</a>',
      '<a/>x',
      '<a/><b/>',
      '<a>&nbsp;</a>',
      '<a>&#0;</a>',
      '<a b="<"/>',
      '<a>]]></a>',
      '<a>\u0001</a>',
      '<a><!-- -- --></a>',
      '<a><!--',
      '<a><![CDATA[',
      ' <?xml version="1.0"?><a/>',
      '<?xml?><a/>',
      '<? x?><a/>',
      '<a>1 < 2</a>',
    ]
    expect(texts.map((text) => `${text} → ${problemOf(text)}`)).toMatchInlineSnapshot(`
      [
        " → Line 1, column 1: there is no element.",
        "x → Line 1, column 1: text is not allowed before the root element.",
        "<a> → Line 1, column 4: the element <a> is never closed.",
        "<a → Line 1, column 3: the tag <a is never closed.",
        "<a b → Line 1, column 5: the attribute "b" has no value.",
        "<a b="1 → Line 1, column 6: the value of the attribute "b" is never closed.",
        "<a b="1" b="2"/> → Line 1, column 10: the attribute "b" appears twice.",
        "<a>
        <b>
      </a> → Line 3, column 1: </a> closes nothing: </b> is expected.",
        "</a> → Line 1, column 1: </a> closes nothing: no element is open.",
        "<a/>x → Line 1, column 5: text is not allowed after the root element.",
        "<a/><b/> → Line 1, column 5: there is more than one root element.",
        "<a>&nbsp;</a> → Line 1, column 4: "&" doesn't begin a known entity; write a plain & as "&amp;".",
        "<a>&#0;</a> → Line 1, column 4: &#0; isn't a character that XML allows.",
        "<a b="<"/> → Line 1, column 7: "<" must be written as "&lt;" in an attribute.",
        "<a>]]></a> → Line 1, column 4: "]]>" must be written as "]]&gt;" here.",
        "<a></a> → Line 1, column 4: a control character is not allowed in XML.",
        "<a><!-- -- --></a> → Line 1, column 9: "--" is not allowed inside a comment.",
        "<a><!-- → Line 1, column 4: this comment is never closed.",
        "<a><![CDATA[ → Line 1, column 4: this CDATA section is never closed.",
        " <?xml version="1.0"?><a/> → Line 1, column 2: the XML declaration is only allowed at the very start.",
        "<?xml?><a/> → Line 1, column 1: this XML declaration isn't valid; write <?xml version="1.0" encoding="UTF-8"?>.",
        "<? x?><a/> → Line 1, column 1: a processing instruction needs a name.",
        "<a>1 < 2</a> → Line 1, column 7: expected the name of an element; write a plain < as "&lt;".",
      ]
    `)
  })

  it('includes every document type and custom entity, wherever it is', () => {
    const texts = [
      '<!DOCTYPE a><a/>',
      '<!DOCTYPE a SYSTEM "http://x.test/a.dtd"><a/>',
      '<?xml version="1.0"?>\n<!DOCTYPE a [<!ENTITY x "y">]><a>&x;</a>',
      '<!DOCTYPE a [<!ENTITY x SYSTEM "file:///etc/passwd">]><a>&x;</a>',
      '<!DOCTYPE lolz [<!ENTITY lol "lol"><!ENTITY lol2 "&lol;&lol;">]><lolz>&lol2;</lolz>',
      '<!-- c --><!DOCTYPE a><a/>',
      '<a><!DOCTYPE a></a>',
      '<a/><!DOCTYPE a>',
      '<!doctype a><a/>',
      '<!ENTITY x "y"><a/>',
      '<a><!ENTITY x "y"></a>',
      '<a><!ELEMENT b ANY></a>',
      '<a><![INCLUDE[x]]></a>',
    ]
    expect(
      texts
        .map(problemOf)
        .filter((problem) => !/declarations \(<!DOCTYPE, <!ENTITY\) aren't allowed/.test(problem)),
    ).toEqual([])
  })

  it('includes nesting beyond 64 levels and more than 500,000 elements and attributes', () => {
    const nested = (depth: number) => '<a>'.repeat(depth) + '</a>'.repeat(depth)
    expect(problemOf(nested(64))).toMatch(/^accepted/)
    expect(problemOf(nested(65))).toBe('Line 1, column 193: the XML is nested deeper than 64 levels.')
    expect(problemOf('<a>'.repeat(1_000_000))).toMatch(/nested deeper/)
    expect(problemOf('<a><b x="1"/><c/></a>', { maxValues: 4 })).toMatch(/^accepted/)
    expect(problemOf('<a><b x="1"/><c/></a>', { maxValues: 3 })).toMatch(
      /more than 3 elements and attributes/,
    )
    expect(problemOf(`<r>${'<a/>'.repeat(500_000)}</r>`)).toMatch(/more than 500000/)
  })

  it('is rejected in time that depends only on its length', () => {
    const size = 2_000_000
    const texts = [
      '<'.repeat(size),
      '<a '.repeat(size / 3),
      `<a>${'&'.repeat(size)}`,
      `<a>${'&#'.repeat(size / 2)}`,
      `<a>${'<!--'.repeat(size / 4)}`,
      `<a>${']'.repeat(size)}</a>`,
      `<a>${' '.repeat(size)}x${' '.repeat(size)}</a>`,
      `<a${' '.repeat(size)}`,
      `<a b="${'x'.repeat(size)}`,
      `<${'é'.repeat(size)}`,
      `<?xml ${' '.repeat(size)}`,
      `<a ${'b= '.repeat(size / 3)}`,
      `<a>${'&lt;'.repeat(size / 4)}</a>`,
    ]
    // Quadratic work would exceed the time limit of a test.
    expect(texts.map((text) => problemOf(text)).filter((problem) => problem === '')).toEqual([])
  })
})

describe('what is read', () => {
  it('keeps every value as a string, the root as a key, and no prototype', () => {
    const order = parseXml('<order id="007"><n>1.50</n><n>true</n><none/></order>')
    expect(order).toEqual({ order: { '@id': '007', n: ['1.50', 'true'], none: null } })
    expect(Object.getPrototypeOf(order)).toBe(null)
  })

  it('treats names from JavaScript as ordinary names, and drops __proto__', () => {
    expect(
      read('<constructor prototype="1"><__proto__><x/></__proto__><toString>2</toString></constructor>'),
    ).toBe('{"constructor":{"@prototype":"1","toString":"2"}}')
    expect(read('<a><constructor/><constructor/></a>')).toBe('{"a":{"constructor":[null,null]}}')
    expect(({} as Record<string, unknown>).x).toBe(undefined)
  })

  it('treats a document type inside CDATA or a comment as text', () => {
    expect(read('<a><!-- <!DOCTYPE x> --><![CDATA[<!DOCTYPE html><p>&x;</p>]]></a>')).toBe(
      '{"a":"<!DOCTYPE html><p>&x;</p>"}',
    )
  })
})

describe('the charset', () => {
  const latin = (text: string) => Buffer.from(text, 'latin1')
  const wide = (text: string) => Buffer.from(text, 'utf16le')

  it('is that of the byte-order mark, otherwise the header, otherwise the declaration, otherwise UTF-8', () => {
    const declared = '<?xml version="1.0" encoding="ISO-8859-1"?><a>é</a>'
    expect(
      [
        decodeXml(Buffer.from('<a>é</a>'), null),
        decodeXml(Buffer.from('\uFEFF<a>é</a>'), 'iso-8859-1'),
        decodeXml(wide('\uFEFF<a>é</a>'), 'utf-8'),
        decodeXml(wide('\uFEFF<a>é</a>').swap16(), null),
        decodeXml(wide('<?xml version="1.0" encoding="utf-16"?><a>é</a>'), null),
        decodeXml(wide('<a>é</a>').swap16(), null),
        decodeXml(latin('<a>é</a>'), 'iso-8859-1'),
        decodeXml(latin(declared), null),
        decodeXml(Buffer.from(declared), 'utf-8'),
        decodeXml(Buffer.from("<?xml version='1.0' encoding='utf-16'?><a>é</a>"), null),
        decodeXml(Buffer.from([0x3c, 0x61, 0x3e, 0x82, 0xa0, 0x3c, 0x2f, 0x61, 0x3e]), 'shift_jis'),
      ].map((text) => text.replace(/^<\?xml[^>]*>/, '')),
    ).toEqual([...Array.from({ length: 10 }, () => '<a>é</a>'), '<a>あ</a>'])
  })

  it('is rejected if it is unknown or the bytes do not match it', () => {
    expect(() => decodeXml(Buffer.from('<a/>'), 'klingon')).toThrow(UnknownCharsetError)
    expect(() => decodeXml(Buffer.from('<?xml version="1.0" encoding="utf-7"?><a/>'), null)).toThrow(
      UnknownCharsetError,
    )
    expect(() => decodeXml(latin('<a>é</a>'), null)).toThrow(TypeError)
    expect(() => decodeXml(latin('<a>é</a>'), 'utf-8')).toThrow(TypeError)
  })
})
