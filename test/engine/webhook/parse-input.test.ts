import { text as readText } from 'node:stream/consumers'
import { brotliCompressSync, deflateRawSync, deflateSync, gzipSync } from 'node:zlib'
import { describe, expect, it } from 'vitest'
import { AppError } from '../../../src/shared/contract/base/errors.ts'
import { writeJson } from '../../../packages/jinja/src/data/json.ts'
import { entriesOf } from '../../../packages/jinja/src/data/value.ts'
import {
  parseWebhookInput,
  type StoreFile,
  type WebhookLimits,
  type WebhookPayload,
} from '../../../src/main/engine/webhook/parse-input.ts'

type Call = Partial<Omit<WebhookPayload, 'body'>> & { body?: Buffer | string }

const JSON_TYPE = 'application/json'
const FORM_TYPE = 'application/x-www-form-urlencoded'

it('a form of parts with very many parameters lets other work have its turns', async () => {
  const parameters = Array.from({ length: 900 }, (_, n) => `; p${n}=v`).join('')
  const part = (_: unknown, n: number) =>
    `--b\r\nContent-Disposition: form-data; name="n${n}"${parameters}\r\n\r\nx\r\n`
  const body = Buffer.from(`${Array.from({ length: 700 }, part).join('')}--b--\r\n`)
  let turns = 0
  const count = () => {
    turns++
    turn = setImmediate(count)
  }
  let turn = setImmediate(count)
  const { input } = await parse({ contentType: 'multipart/form-data; boundary=b', body })
  clearImmediate(turn)
  expect({ size: entriesOf(input).length, turns: turns > 5 }).toEqual({ size: 700, turns: true })
})

describe('JSON bodies', () => {
  it.each<[string, Call, string]>([
    ['an object is the input', json('{"a":1,"b":{"c":[true,null]}}'), '{"a":1,"b":{"c":[true,null]}}'],
    [
      'numbers keep their digits and their point',
      json('{"id":9007199254740993,"f":1.0}'),
      '{"id":9007199254740993,"f":1.0}',
    ],
    ['keys keep their order', json('{"2":"b","1":"a"}'), '{"2":"b","1":"a"}'],
    ['a list is key body', json('[1,2]'), '{"body":[1,2]}'],
    ['a text is key body', json('"x"'), '{"body":"x"}'],
    ['a number is key body', json('5'), '{"body":5}'],
    ['null is key body', json('null'), '{"body":null}'],
    ['false is key body', json('false'), '{"body":false}'],
    ['an empty object is an empty input', json('{}'), '{}'],
    ['a byte-order mark is skipped', json('\uFEFF{"a":1}'), '{"a":1}'],
    ['spaces around it are skipped', json(' \r\n{"a":1}\n'), '{"a":1}'],
    ['__proto__ is dropped', json('{"__proto__":{"x":1},"a":1}'), '{"a":1}'],
    ['constructor is a key', json('{"constructor":{"prototype":1}}'), '{"constructor":{"prototype":1}}'],
    ['the last of two equal keys wins', json('{"a":1,"b":2,"a":3}'), '{"a":3,"b":2}'],
    [
      'a charset of UTF-8 is fine',
      { ...json('{"a":"é"}'), contentType: 'application/json; charset="UTF-8"' },
      '{"a":"é"}',
    ],
    [
      'a known charset changes nothing: JSON is UTF-8',
      { ...json('{"a":"é"}'), contentType: 'application/json;charset=iso-8859-1' },
      '{"a":"é"}',
    ],
    ['a JSON type of a vendor', { ...json('[]'), contentType: 'application/vnd.x.v1+json' }, '{"body":[]}'],
    ['no type', { body: '{"a":1}' }, '{"a":1}'],
    ['a malformed type', { body: '{"a":1}', contentType: 'json' }, '{"a":1}'],
    ['an empty type', { body: '{"a":1}', contentType: '' }, '{"a":1}'],
    ['a type of text', { body: '{"a":1}', contentType: 'text/plain' }, '{"a":1}'],
    ['a type of bytes', { body: '[1]', contentType: 'application/octet-stream' }, '{"body":[1]}'],
    ['a type in capitals', { body: '{"a":1}', contentType: 'Application/JSON' }, '{"a":1}'],
    ['a form sent as JSON is a form', { body: 'a=1&b=2', contentType: JSON_TYPE }, '{"a":"1","b":"2"}'],
  ])('%s', async (_, call, expected) => {
    expect(await inputOf(call)).toBe(expected)
  })

  it('that are invalid are rejected with the position', async () => {
    const refusals = await Promise.all([
      refusalOf(json('{"a":1,}')),
      refusalOf(json('{"a":"b=c"')),
      refusalOf(json("{'a': 1}")),
      refusalOf(json('[1,2')),
      refusalOf(json('nope')),
      refusalOf(json(' ')),
      refusalOf(json('{"a":1}{"b":2}')),
      refusalOf({ ...json(''), body: Buffer.from([0x7b, 0xff, 0x7d]) }),
      refusalOf({ ...json(''), body: Buffer.from('{"a":1}', 'utf16le') }),
      refusalOf(json('['.repeat(65) + ']'.repeat(65))),
      refusalOf({ body: '['.repeat(65) + ']'.repeat(65), contentType: 'text/plain' }),
      refusalOf(json(`[${'1,'.repeat(500_000)}1]`)),
      refusalOf(json('9'.repeat(5000))),
      refusalOf(json('{"a":1e400}')),
      refusalOf({ ...json('{}'), contentType: 'application/json; charset=klingon' }),
    ])
    expect(refusals).toMatchInlineSnapshot(`
      [
        "400 The body isn't valid JSON. Line 1, column 8: expected a key in double quotes, found "}".",
        "400 The body isn't valid JSON. Line 1, column 11: expected "," or "}", found the end of the text.",
        "400 The body isn't valid JSON. Line 1, column 2: expected a key in double quotes, found "'".",
        "400 The body isn't valid JSON. Line 1, column 5: expected "," or "]", found the end of the text.",
        "400 The body isn't valid JSON. Line 1, column 1: expected a value, found "n".",
        "400 The body isn't valid JSON. Line 1, column 2: the text is empty where JSON is expected.",
        "400 The body isn't valid JSON. Line 1, column 8: the JSON value ends before "{"; remove what follows it.",
        "400 The body contains bytes that aren't valid in its charset; send UTF-8",
        "400 The body isn't valid JSON. Line 1, column 2: expected a key in double quotes, found "\\u0000".",
        "400 The JSON body is too large. Line 1, column 65: the JSON is nested deeper than 64 levels.",
        "400 The JSON body is too large. Line 1, column 65: the JSON is nested deeper than 64 levels.",
        "400 The JSON body is too large. Line 1, column 1000000: the JSON has more than 500000 values.",
        "400 The JSON body is too large. Line 1, column 1: the integer has more than 4300 digits.",
        "400 The JSON body has a number that can't be represented. Line 1, column 6: the number is too large for a float.",
        "415 Unknown charset "klingon"",
      ]
    `)
  })

  // Quadratic work would exceed the time limit of a test.
  it('that are hostile in size or shape get a response', async () => {
    const size = 5_242_880
    const bodies = ['[', '{"a":', '"', '\\', '1', '-', '[[],', ' ', 'a=', '&', '%', '\u0000'].map((piece) =>
      piece.repeat(Math.floor(size / piece.length)),
    )
    let answered = 0
    for (const body of bodies) {
      for (const contentType of [
        JSON_TYPE,
        FORM_TYPE,
        'text/plain',
        'application/xml',
        'multipart/form-data; boundary=a',
      ]) {
        await inputOf({ body, contentType }).catch((error: unknown) => expectRefusal(error))
        answered++
      }
    }
    expect(answered).toBe(60)
  })
})

describe('forms', () => {
  it.each<[string, string, string]>([
    ['fields are texts', 'a=1&b=true&c=', '{"a":"1","b":"true","c":""}'],
    ['escapes are decoded', 'n=%C3%A9+%26%3D%2B', '{"n":"é &=+"}'],
    ['raw UTF-8 is read', 'n=é', '{"n":"é"}'],
    ['names are flat', 'a[b]=1&a.c=2&d[]=3&e[0][x]=4', '{"a[b]":"1","a.c":"2","d[]":"3","e[0][x]":"4"}'],
    ['a repeated name is a list', 'a=1&b=x&a=2&a=3', '{"a":["1","2","3"],"b":"x"}'],
    ['a name without = is empty', 'a&b=1', '{"a":"","b":"1"}'],
    ['empty pairs are skipped', '&&a=1&&', '{"a":"1"}'],
    ['an empty name is a name', '=1', '{"":"1"}'],
    ['a second = belongs to the value', 'a=b=c', '{"a":"b=c"}'],
    ['a broken escape stands for itself', 'a=100%&b=%zz&c=%4', '{"a":"100%","b":"%zz","c":"%4"}'],
    ['an escape that is no UTF-8 reads as the replacement character', 'a=%FF', '{"a":"\uFFFD"}'],
    ['numeric names keep their order', '2=b&1=a', '{"2":"b","1":"a"}'],
    ['__proto__ is dropped', '__proto__=1&__proto__[x]=2&a=3', '{"__proto__[x]":"2","a":"3"}'],
    [
      'constructor is a name',
      'constructor=1&constructor.prototype.x=2',
      '{"constructor":"1","constructor.prototype.x":"2"}',
    ],
    ['the line end of a file is no part of it', 'a=1\r\n', '{"a":"1"}'],
    ['JSON as a whole is JSON, which is what curl -d sends', ' {"a":{"b":"1&2=3"}}\n', '{"a":{"b":"1&2=3"}}'],
    ['JSON with a byte-order mark is JSON', '\ufeff{"a":1}', '{"a":1}'],
    ['a JSON list as a whole is key body', '[{"a":1}]', '{"body":[{"a":1}]}'],
    ['escapes in JSON are its own', '{"a":"%41+b"}', '{"a":"%41+b"}'],
    ['what only begins like JSON is a form', '{"a":1}=2&[x]=3', '{"{\\"a\\":1}":"2","[x]":"3"}'],
    ['a JSON scalar is a form', 'true', '{"true":""}'],
  ])('%s', async (_, body, expected) => {
    expect(await inputOf({ body, contentType: FORM_TYPE })).toBe(expected)
  })

  it('are decoded with their declared charset', async () => {
    const call = { contentType: `${FORM_TYPE}; charset=iso-8859-1` }
    expect(await inputOf({ ...call, body: 'a=%E9' })).toBe('{"a":"é"}')
    expect(await inputOf({ ...call, body: Buffer.from('a=é', 'latin1') })).toBe('{"a":"é"}')
    expect(await refusalOf({ ...call, body: 'a=1', contentType: `${FORM_TYPE}; charset=x-none` })).toMatch(
      /^415/,
    )
  })

  it('without their content type are recognized if the body is not JSON', async () => {
    expect(await inputOf({ body: 'a=1&b=%20' })).toBe('{"a":"1","b":" "}')
    expect(await inputOf({ body: 'a=1', contentType: 'text/plain' })).toBe('{"a":"1"}')
  })

  it('have at most 1,000 fields and names of at most 1,000 characters', async () => {
    const fields = (count: number) => Array.from({ length: count }, (_, index) => `f${index}=1`).join('&')
    expect(
      Object.keys(JSON.parse(await inputOf({ body: fields(1000), contentType: FORM_TYPE })) as object),
    ).toHaveLength(1000)
    expect(await refusalOf({ body: fields(1001), contentType: FORM_TYPE })).toBe(
      '400 The form has more than 1000 fields',
    )
    expect(await refusalOf({ body: '&a'.repeat(1001), contentType: FORM_TYPE })).toMatch(/^400/)
    expect(await refusalOf({ body: `${'n'.repeat(1001)}=1`, contentType: FORM_TYPE })).toBe(
      '400 A name in the body has more than 1000 characters',
    )
  })
})

describe('text bodies', () => {
  it.each<[string, Call, string]>([
    ['plain text is key body', { body: 'hello', contentType: 'text/plain' }, '{"body":"hello"}'],
    ['text without a type is key body', { body: 'hello' }, '{"body":"hello"}'],
    [
      'several lines are text, whatever is in them',
      { body: 'a = 1\nb = 2', contentType: 'text/plain' },
      '{"body":"a = 1\\nb = 2"}',
    ],
    ['CSV is text', { body: 'a,b\n1,2', contentType: 'text/csv' }, '{"body":"a,b\\n1,2"}'],
    [
      'broken JSON of a text type is text, not a form',
      { body: '{"a":"b=c"', contentType: 'text/plain' },
      '{"body":"{\\"a\\":\\"b=c\\""}',
    ],
    ['XML of no type is text', { body: '<a b="c"/>' }, '{"body":"<a b=\\"c\\"/>"}'],
    [
      'its charset is used',
      { body: Buffer.from('é', 'latin1'), contentType: 'text/plain; charset=latin1' },
      '{"body":"é"}',
    ],
    [
      'bytes that are no text',
      { body: Buffer.from([0xff, 0x3d, 0x61]), contentType: 'application/octet-stream' },
      '{"body":"\uFFFD=a"}',
    ],
  ])('%s', async (_, call, expected) => {
    expect(await inputOf(call)).toBe(expected)
  })

  it('with an unknown charset are 415', async () => {
    expect(await refusalOf({ body: 'x', contentType: 'text/plain; charset=klingon' })).toBe(
      '415 Unknown charset "klingon"',
    )
    expect(await refusalOf({ body: 'x', contentType: `text/plain; charset=${'k'.repeat(5000)}` })).toBe(
      `415 Unknown charset "${'k'.repeat(40)}"`,
    )
  })
})

describe('XML bodies', () => {
  it.each<[string, Call, string]>([
    [
      'the root is the key',
      xml('<order id="7"><n>007</n><n/></order>'),
      '{"order":{"@id":"7","n":["007",null]}}',
    ],
    ['text/xml', { body: '<a>x</a>', contentType: 'text/xml' }, '{"a":"x"}'],
    [
      'an XML type of a vendor',
      { body: '<a>x</a>', contentType: 'application/soap+xml; action="x"' },
      '{"a":"x"}',
    ],
    ['text beside attributes', xml('<a b="1">t</a>'), '{"a":{"@b":"1","#text":"t"}}'],
    ['numeric references', xml('<a>&#65;&#x1F600;</a>'), '{"a":"A😀"}'],
    ['an empty root', xml('<a/>'), '{"a":null}'],
    [
      'a declared charset',
      { ...xml(''), body: Buffer.from('<?xml version="1.0" encoding="windows-1252"?><a>\x80</a>', 'latin1') },
      '{"a":"€"}',
    ],
    [
      'the charset of the header before the declared one',
      { contentType: 'text/xml; charset=utf-8', body: '<?xml version="1.0" encoding="iso-8859-1"?><a>é</a>' },
      '{"a":"é"}',
    ],
    ['UTF-16 by its mark', { ...xml(''), body: Buffer.from('\uFEFF<a>é</a>', 'utf16le') }, '{"a":"é"}'],
    ['the root body is a key like any other', xml('<body><x>1</x></body>'), '{"body":{"x":"1"}}'],
  ])('%s', async (_, call, expected) => {
    expect(await inputOf(call)).toBe(expected)
  })

  it('that are hostile or malformed are rejected', async () => {
    const refusals = await Promise.all([
      refusalOf(xml('<!DOCTYPE a [<!ENTITY x SYSTEM "file:///etc/passwd">]><a>&x;</a>')),
      refusalOf({ ...xml(''), body: Buffer.from('\uFEFF<!DOCTYPE a><a/>', 'utf16le') }),
      refusalOf(xml('<a>&lol;</a>')),
      refusalOf(xml('<a><b></a>')),
      refusalOf(xml('{"a":1}')),
      refusalOf(xml(' ')),
      refusalOf(xml(`${'<a>'.repeat(65)}${'</a>'.repeat(65)}`)),
      refusalOf(xml(`<r>${'<a/>'.repeat(500_000)}</r>`)),
      refusalOf({ ...xml(''), body: Buffer.from('<a>é</a>', 'latin1') }),
      refusalOf(xml('<?xml version="1.0" encoding="klingon"?><a/>')),
      refusalOf({ body: '<a/>', contentType: 'text/xml; charset=klingon' }),
    ])
    expect(refusals).toMatchInlineSnapshot(`
      [
        "400 The XML body isn't valid. Line 1, column 1: document types and declarations (<!DOCTYPE, <!ENTITY) are refused; remove them.",
        "400 The XML body isn't valid. Line 1, column 1: document types and declarations (<!DOCTYPE, <!ENTITY) are refused; remove them.",
        "400 The XML body isn't valid. Line 1, column 4: "&" doesn't begin a known entity; write a plain & as "&amp;".",
        "400 The XML body isn't valid. Line 1, column 7: </a> closes nothing: </b> is expected.",
        "400 The XML body isn't valid. Line 1, column 1: text is not allowed before the root element.",
        "400 The XML body isn't valid. Line 1, column 2: there is no element.",
        "400 The XML body isn't valid. Line 1, column 193: the XML is nested deeper than 64 levels.",
        "400 The XML body isn't valid. Line 1, column 2000000: the XML has more than 500000 elements and attributes.",
        "400 The body contains bytes that aren't valid in its charset; send UTF-8",
        "415 Unknown charset "klingon"",
        "415 Unknown charset "klingon"",
      ]
    `)
  })
})

describe('multipart forms', () => {
  const part = (name: string, value: string, more = '') =>
    `Content-Disposition: form-data; name="${name}"${more}\r\n\r\n${value}`
  const multipart = (...parts: string[]): Call => ({
    contentType: 'multipart/form-data; boundary=XX',
    body: `${parts.map((one) => `--XX\r\n${one}\r\n`).join('')}--XX--\r\n`,
  })

  it('contain fields with flat names, repeated ones as lists', async () => {
    expect(
      await inputOf(multipart(part('a', '1'), part('a[b]', '2'), part('a', 'é'), part('empty', ''))),
    ).toBe('{"a":["1","é"],"a[b]":"2","empty":""}')
    expect(await inputOf(multipart())).toBe('{}')
    expect(await inputOf(multipart(part('2', 'x'), part('1', 'y'), part('__proto__', 'z')))).toBe(
      '{"2":"x","1":"y"}',
    )
  })

  it('store their files and show their details', async () => {
    const stored: string[] = []
    const { input, files, bodyKeys, kind } = await parse(
      multipart(
        part('title', 'T'),
        part('doc', 'content', '; filename="../../etc/pass\\"wd.txt"\r\nContent-Type: text/csv'),
        part('doc', '\u0000\u0001\r\n--X', '; filename="b.bin"'),
        part('none', '', '; filename=""\r\nContent-Type: application/octet-stream'),
        part('unicode', 'x', "; filename*=UTF-8''%e2%82%ac.txt"),
      ),
      async (content, meta) => {
        stored.push(`${meta.filename}|${meta.content_type}|${JSON.stringify(await readText(content))}`)
        return { file_id: `f${stored.length}`, size: 7 }
      },
    )
    expect(stored).toEqual([
      'pass"wd.txt|text/csv|"content"',
      'b.bin|text/plain|"\\u0000\\u0001\\r\\n--X"',
      '€.txt|text/plain|"x"',
    ])
    expect(JSON.parse(writeJson(input))).toEqual({
      title: 'T',
      doc: [
        { filename: 'pass"wd.txt', content_type: 'text/csv', size: 7, file_id: 'f1' },
        { filename: 'b.bin', content_type: 'text/plain', size: 7, file_id: 'f2' },
      ],
      none: null,
      unicode: { filename: '€.txt', content_type: 'text/plain', size: 7, file_id: 'f3' },
    })
    expect({ files: files.length, bodyKeys, kind }).toEqual({
      files: 3,
      bodyKeys: ['title', 'doc', 'none', 'unicode'],
      kind: 'multipart',
    })
  })

  it('have filenames that are never cut inside a character', async () => {
    const names: string[] = []
    await parse(
      multipart(
        part('a', 'x', `; filename="${'x'.repeat(254)}😀.txt"`),
        part('b', 'x', '; filename=" b.txt "'),
      ),
      (_content, { filename }) => {
        names.push(filename)
        return Promise.resolve({ file_id: 'f', size: 1 })
      },
    )
    expect(names).toEqual([`${'x'.repeat(254)}\ufffd`, 'b.txt'])
  })

  it('that are rejected store nothing', async () => {
    let calls = 0
    const count: StoreFile = () => {
      calls++
      return Promise.resolve({ file_id: 'x', size: 0 })
    }
    const file = part('f', 'x', '; filename="a"')
    const many = (count_: number, one: string) => Array.from({ length: count_ }, () => one)
    const refusals = await Promise.all(
      [
        { ...multipart(file), body: `--XX\r\n${file}` },
        { ...multipart(file), contentType: 'multipart/form-data' },
        { ...multipart(file), contentType: 'multipart/form-data; boundary=' },
        { ...multipart(file), contentType: 'multipart/mixed; boundary=XX' },
        { ...multipart(file), contentType: 'multipart/form-data; boundary=YY' },
        multipart(file, part('', 'x')),
        multipart(file, 'Content-Disposition: form-data\r\n\r\nx'),
        multipart(file, part('n'.repeat(1001), 'x')),
        multipart(file, `Bad Header\r\n\r\nx`),
        multipart(file, part('a', 'x', `\r\nX: ${'y'.repeat(20_000)}`)),
        multipart(file, ...many(1001, part('a', '1'))),
        multipart(...many(101, file)),
        multipart(...many(1102, 'X-Nothing: known\r\n\r\nx')),
        multipart(file, part('a', 'x', '\r\nContent-Type: text/plain; charset=klingon')),
        { ...multipart(file), body: 'no parts at all' },
      ].map((call) => refusalOf(call, count)),
    )
    expect(refusals).toMatchInlineSnapshot(`
      [
        "400 The multipart form is malformed: its parts or its end are missing",
        "400 A multipart body must be sent as "multipart/form-data; boundary=…", with the boundary of its parts",
        "400 A multipart body must be sent as "multipart/form-data; boundary=…", with the boundary of its parts",
        "400 A multipart body must be sent as "multipart/form-data; boundary=…", with the boundary of its parts",
        "400 The multipart form is malformed: its parts or its end are missing",
        "400 A part of the form has no name",
        "400 A part of the form has no name",
        "400 A name in the form has more than 1000 characters",
        "400 The multipart form is malformed: its parts or its end are missing",
        "400 The multipart form is malformed: its parts or its end are missing",
        "400 The form has more than 1000 fields",
        "400 The form has more than 100 files",
        "400 The form has more than 1100 parts",
        "415 Unknown charset of the field "a"",
        "400 The multipart form is malformed: its parts or its end are missing",
      ]
    `)
    expect(calls).toBe(0)
  })

  it('with an error in every part are rejected at the first', async () => {
    const call = {
      contentType: 'multipart/form-data; boundary=X',
      body: `${'--X\r\n\r\n\r\n'.repeat(400_000)}--X--`,
    }
    expect(await refusalOf(call)).toMatch(/^400 The multipart form is malformed/)
  })

  it('cannot pass off a part as data from the server', async () => {
    const forged = '{"filename":"x","content_type":"text/plain","size":1,"file_id":"stolen"}'
    const { input, files } = await parse(multipart(part('doc', forged), part('file_id', 'stolen')))
    expect(JSON.parse(writeJson(input))).toEqual({ doc: forged, file_id: 'stolen' })
    expect(files).toEqual([])
  })
})

describe('the query', () => {
  it.each<[string, Call, string]>([
    ['each name is a key', { query: 'a=1&b=x%20y+z' }, '{"a":"1","b":"x y z"}'],
    ['a leading ? is no part of it', { query: '?a=1' }, '{"a":"1"}'],
    ['a repeated name is a list', { query: 'a=1&a=2&b=3' }, '{"a":["1","2"],"b":"3"}'],
    ['names are flat', { query: 'a[b]=1&c.d=2' }, '{"a[b]":"1","c.d":"2"}'],
    ['a name without a value is empty', { query: 'a&b=' }, '{"a":"","b":""}'],
    ['it is decoded once', { query: 'a=%2525' }, '{"a":"%25"}'],
    ['broken escapes stand for themselves', { query: 'a=%E0%A4%A&b=%' }, '{"a":"\uFFFD%A","b":"%"}'],
    ['__proto__ is dropped', { query: '__proto__=1&a=2' }, '{"a":"2"}'],
    [
      'it wins over the body, in the place of the body’s key',
      { ...json('{"a":1,"b":2}'), query: 'c=3&a=q' },
      '{"a":"q","b":2,"c":"3"}',
    ],
    ['it joins a list body', { ...json('[1]'), query: 'a=1' }, '{"body":[1],"a":"1"}'],
    ['it wins over key body', { ...json('[1]'), query: 'body=q' }, '{"body":"q"}'],
    ['it joins XML', { ...xml('<a>1</a>'), query: 'b=2' }, '{"a":"1","b":"2"}'],
    ['an empty one adds nothing', { query: '' }, '{}'],
    ['raw text of a program', { query: 'a=é€' }, '{"a":"é€"}'],
    ['raw bytes of a request line', { query: Buffer.from('a=é').toString('latin1') }, '{"a":"é"}'],
  ])('%s', async (_, call, expected) => {
    expect(await inputOf(call)).toBe(expected)
  })

  it('has at most 200 names', async () => {
    const names = (count: number) => Array.from({ length: count }, (_, index) => `n${index}=1`).join('&')
    expect(Object.keys(JSON.parse(await inputOf({ query: names(200) })) as object)).toHaveLength(200)
    expect(await refusalOf({ query: names(201) })).toBe('400 The query has more than 200 names')
    expect(await refusalOf({ query: 'a&'.repeat(5000) })).toBe('400 The query has more than 200 names')
    expect(await refusalOf({ query: `${'n'.repeat(1001)}=1` })).toMatch(/^400 A name in the query/)
  })

  it('is available separately from the body', async () => {
    const { bodyKeys, queryKeys, kind } = await parse({ ...json('{"a":1,"b":2}'), query: 'b=3&c=4' })
    expect({ bodyKeys, queryKeys, kind }).toEqual({
      bodyKeys: ['a', 'b'],
      queryKeys: ['b', 'c'],
      kind: 'json',
    })
  })
})

describe('the kind of a body', () => {
  it('says how it was parsed', async () => {
    const kinds = await Promise.all(
      [
        {},
        { contentType: JSON_TYPE },
        { contentType: 'text/xml' },
        { contentType: 'multipart/form-data; boundary=x' },
        json('1'),
        xml('<a/>'),
        { body: 'a=1', contentType: FORM_TYPE },
        { body: 'a=1' },
        { body: 'x' },
      ].map(async (call: Call) => (await parse(call)).kind),
    )
    expect(kinds).toEqual(['none', 'none', 'none', 'none', 'json', 'xml', 'form', 'form', 'text'])
  })
})

describe('content encodings', () => {
  const body = '{"a":"compressed"}'
  it.each<[string, Buffer | string]>([
    ['gzip', gzipSync(body)],
    ['x-gzip', gzipSync(body)],
    ['GZIP', gzipSync(body)],
    ['deflate', deflateSync(body)],
    ['deflate', deflateRawSync(body)],
    ['br', brotliCompressSync(body)],
    ['deflate, gzip', gzipSync(deflateSync(body))],
    ['identity', body],
    ['', body],
  ])('%s', async (contentEncoding, encoded) => {
    const { input, decodedBody } = await parse({ ...json(''), body: encoded, contentEncoding })
    expect({ input: writeJson(input), decodedBody: decodedBody.toString() }).toEqual({
      input: body,
      decodedBody: body,
    })
  })

  it('that are unknown, damaged or too large are rejected', async () => {
    const bomb = gzipSync(Buffer.alloc(50_000_000))
    const refusals = await Promise.all([
      refusalOf({ ...json(body), contentEncoding: 'zip' }),
      refusalOf({ ...json(body), contentEncoding: 'gzip, gzip, gzip' }),
      refusalOf({ ...json(body), contentEncoding: 'x'.repeat(5000) }),
      refusalOf({ ...json(body), contentEncoding: 'gzip' }),
      refusalOf({ ...json(''), body: gzipSync(body).subarray(0, 20), contentEncoding: 'gzip' }),
      refusalOf({ ...json(body), contentEncoding: 'br' }),
      refusalOf({ ...json(''), body: bomb, contentEncoding: 'gzip' }),
      refusalOf({ ...json(''), body: gzipSync(bomb), contentEncoding: 'gzip, gzip' }),
      refusalOf({ ...json(''), body: brotliCompressSync(Buffer.alloc(50_000_000)), contentEncoding: 'br' }),
    ])
    expect(refusals).toMatchInlineSnapshot(`
      [
        "415 Unknown content encoding "zip"; send gzip, deflate, br or none",
        "415 At most 2 content encodings are supported",
        "415 Unknown content encoding "xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx"; send gzip, deflate, br or none",
        "400 The body isn't valid gzip, its content encoding",
        "400 The body isn't valid gzip, its content encoding",
        "400 The body isn't valid br, its content encoding",
        "413 The decompressed body is larger than 5242880 bytes",
        "413 The decompressed body is larger than 5242880 bytes",
        "413 The decompressed body is larger than 5242880 bytes",
      ]
    `)
  })

  it('are limited before and after decoding: the limit itself is allowed, one byte more is not', async () => {
    const limits = { maxBytes: 100 }
    const text = (size: number) => JSON.stringify('x'.repeat(size - 2))
    expect(await inputOf({ ...json(text(100)), limits })).toHaveLength(109)
    expect(await refusalOf({ ...json(text(101)), limits })).toBe('413 The body is larger than 100 bytes')
    expect(
      await inputOf({ ...json(''), body: gzipSync(text(100)), contentEncoding: 'gzip', limits }),
    ).toHaveLength(109)
    expect(await refusalOf({ ...json(''), body: gzipSync(text(101)), contentEncoding: 'gzip', limits })).toBe(
      '413 The decompressed body is larger than 100 bytes',
    )
  })
})

it('error messages are short and reveal nothing about the computer', async () => {
  const long = 'x'.repeat(100_000)
  const messages = await Promise.all([
    refusalOf(json(`{"${long}": ${long}}`)),
    refusalOf(xml(`<${long}>`)),
    refusalOf(xml(`<a ${long}/>`)),
    refusalOf({ body: 'x', contentType: `text/plain; charset=${long}` }),
    refusalOf({ ...json('1'), contentEncoding: long }),
    refusalOf({
      body: `--X\r\nContent-Disposition: form-data; name="${long}"\r\n\r\n`,
      contentType: 'multipart/form-data; boundary=X',
    }),
  ])
  expect(
    messages.filter((message) => message.length > 250 || /\/work|node:|node_modules|at /.test(message)),
  ).toEqual([])
})

function json(body: string): Call & { body: string } {
  return { body, contentType: JSON_TYPE }
}

function xml(body: string): Call & { body: string } {
  return { body, contentType: 'application/xml' }
}

function parse(
  { body = '', query = '', ...rest }: Call & { limits?: Partial<WebhookLimits> },
  storeFile?: StoreFile,
) {
  return parseWebhookInput(
    { ...rest, query, body: Buffer.from(body) },
    storeFile ?? (() => Promise.reject(new Error('no file was expected'))),
  )
}

async function inputOf(call: Call): Promise<string> {
  return writeJson((await parse(call)).input)
}

async function refusalOf(call: Call, storeFile?: StoreFile): Promise<string> {
  try {
    return `accepted: ${writeJson((await parse(call, storeFile)).input)}`
  } catch (error) {
    return expectRefusal(error)
  }
}

/** Anything other than an error for the caller is a defect, which would be a 500. */
function expectRefusal(error: unknown): string {
  if (error instanceof AppError) return `${error.status} ${error.message}`
  throw error
}
