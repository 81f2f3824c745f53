import { describe, expect, it } from 'vitest'
import { parseJson, writeJson } from '../../../packages/jinja/src/data/json.ts'
import { createRedactor, SecretSet } from '../../../src/main/engine/redaction/redactor.ts'
import { TextMatcher } from '../../../src/main/engine/redaction/text-matcher.ts'
import { renderTemplate } from '../../../packages/jinja/src/template/index.ts'
import { type Data, Float } from '../../../packages/jinja/src/data/value.ts'

const plain = 'sk_live_51H8abcXYZ'
const awkward = 'p&s"s w\\rd/+=é\'<1>\n~*'
const redactor = createRedactor({
  secrets: [plain, awkward, 'short', '123456789012345', ''],
  names: ['X-Connector-Key'],
})
const redactText = (text: string) => redactor.redactText(text)
const redactData = (value: Data) => redactor.redactData(value)
const redactHeaders: typeof redactor.redactHeaders = (headers) => redactor.redactHeaders(headers)

const escapeAsJinja = (text: string) => renderTemplate('{{ text | escape }}', { text })

describe('a secret by its value', () => {
  it.each<[string, string, string]>([
    ['in text', `token ${plain}!`, 'token ***!'],
    ['alone', plain, '***'],
    ['twice', `${plain}${plain} ${plain}`, '****** ***'],
    ['in an address', `https://u:${plain}@x.test/?t=${plain}&u=1`, 'https://u:***@x.test/?t=***&u=1'],
    ['in a JSON text', JSON.stringify({ k: awkward }), '{"k":"***"}'],
    [
      'in JSON within JSON',
      JSON.stringify({ k: JSON.stringify({ s: awkward }) }),
      '{"k":"{\\"s\\":\\"***\\"}"}',
    ],
    ['in JSON as PHP writes it', JSON.stringify(awkward).replaceAll('/', '\\/'), '"***"'],
    ['in JSON as Python writes it', JSON.stringify(awkward).replaceAll('é', '\\u00e9'), '"***"'],
    ['escaped for HTML by a template', escapeAsJinja(awkward), '***'],
    ['in a header whose bytes were taken for characters', Buffer.from(awkward).toString('latin1'), '***'],
    ['escaped for a URL', `?p=${encodeURIComponent(awkward)}`, '?p=***'],
    ['escaped for a form', new URLSearchParams({ p: awkward }).toString(), 'p=***'],
    [
      'escaped with small letters',
      encodeURIComponent(awkward).replaceAll(/%../g, (escape) => escape.toLowerCase()),
      '***',
    ],
    [
      'escaped strictly',
      encodeURIComponent(awkward).replaceAll(
        /[!'()*]/g,
        (char) => `%${char.charCodeAt(0).toString(16).toUpperCase()}`,
      ),
      '***',
    ],
    ['escaped but for its slash', encodeURIComponent(awkward).replaceAll('%2F', '/'), '***'],
    [
      'escaped for XML',
      `<p>${awkward.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;')}</p>`,
      '<p>***</p>',
    ],
    ['in base64', Buffer.from(plain).toString('base64'), '***'],
    ['in base64 with padding', `x ${Buffer.from(`${plain}1`.slice(0, -1)).toString('base64')} y`, 'x *** y'],
    [
      'of Millrace itself, which nobody has told of',
      `a mr_pat_${'x'.repeat(54)}, mr_pat_x`,
      'a ***, mr_pat_x',
    ],
    ['of digits in text', 'n=123456789012345', 'n=***'],
    ['too short to be looked for', 'a short text', 'a short text'],
    ['cut off is no secret', plain.slice(0, -1), plain.slice(0, -1)],
  ])('%s', (_, text, expected) => {
    expect(redactText(text)).toBe(expected)
  })

  it('of which only the beginning is left', () => {
    const known = new SecretSet()
    known.add('known_51H8abcdefgh')
    const cutting = createRedactor({ secrets: [plain], known })
    const before = 'a text of some length, '
    for (const secret of [plain, 'known_51H8abcdefgh', JSON.stringify(Buffer.from(plain).toString('base64'))])
      for (let length = 1; length < secret.length; length++) {
        const shown = cutting.redactBeginning(before + secret.slice(0, length))
        expect({ length, isClean: before.startsWith(shown.replace(/"?(\*\*\*.*)?$/, '')) }).toEqual({
          length,
          isClean: true,
        })
      }
    expect(cutting.redactBeginning(`${plain} ${before.repeat(2)}`)).toBe(
      `*** ${before.repeat(2).slice(0, -11)}`,
    )
    expect(createRedactor({ secrets: [] }).redactBeginning(before)).toBe(before)
  })

  it('in base64 of something longer, at any offset', () => {
    for (const secret of [plain, awkward]) {
      for (const user of ['', 'u', 'us', 'use', 'user']) {
        for (const encoding of ['base64', 'base64url'] as const) {
          const encoded = Buffer.from(`${user}:${secret}:tail`).toString(encoding)
          for (const shown of [
            encoded,
            encodeURIComponent(encoded),
            JSON.stringify({ a: `Basic ${encoded}` }),
          ]) {
            const hidden = redactText(shown)
            expect(hidden).toContain('***')
            const left = Buffer.from(hidden.replace(/^.*\*\*\*/, ''), encoding).toString()
            expect(left).not.toContain(secret.slice(2))
            expect(hidden.length).toBeLessThan(shown.length - secret.length + 3)
          }
        }
      }
    }
  })

  it('leaves nothing of secrets that overlap or contain each other', () => {
    const nested = createRedactor({
      secrets: ['abcdefghijkl', 'ghijklmnopqr', 'abcdefghijklmnopqrstuv', 'aaaaaaaaaaaa'],
    })
    expect(nested.redactText('xabcdefghijklmnopqrx')).toBe('x***x')
    expect(nested.redactText('xabcdefghijklmnopqrstuvx')).toBe('x***x')
    expect(nested.redactText(`x${'a'.repeat(40)}x`)).toBe('x***x')
    expect(nested.redactText('abcdefghijkabcdefghijkl')).toBe('abcdefghijk***')
  })
})

describe('data', () => {
  it('is hidden in values and keys, in Maps and lists, and in numbers that are a secret', () => {
    const value = parseJson(
      `{"a":["${plain}",{"b":"x ${plain} y"}],"${plain}":1,"n":123456789012345,"m":{"2":"${plain}","1":1.0},"big":123456789012345678}`,
    )
    expect(writeJson(redactData(value))).toBe(
      '{"a":["***",{"b":"x *** y"}],"***":1,"n":"***","m":{"2":"***","1":1.0},"big":"***678"}'.replace(
        '"***678"',
        '"***"',
      ),
    )
    expect(writeJson(value)).toContain(plain)
  })

  it('under the name of a secret header is hidden completely', () => {
    const headers = {
      Authorization: 'Bearer x',
      cookie: ['a=1'],
      'X-Hub-Signature-256': 'sha256=1',
      'x-connector-key': 5,
      signature: 'ok',
      Accept: '*/*',
      'Set-Cookie': null,
    }
    expect(redactData({ webhook: { headers } })).toEqual({
      webhook: {
        headers: {
          Authorization: '***',
          cookie: '***',
          'X-Hub-Signature-256': '***',
          'x-connector-key': '***',
          signature: 'ok',
          Accept: '*/*',
          'Set-Cookie': null,
        },
      },
    })
  })

  it('keeps every key in its position if several contain a secret', () => {
    const value = parseJson(
      `{"first":0,"${plain}":1,"x":{"${plain}":2},"***":3,"${plain} ${plain}":4,"${plain}/":5}`,
    )
    expect(writeJson(redactData(value))).toBe(
      '{"first":0,"*** (2)":1,"x":{"***":2},"***":3,"*** ***":4,"***/":5}',
    )
    const [one, two] = [plain, plain.toUpperCase()]
    const both = createRedactor({ secrets: [one, two] })
    expect(writeJson(both.redactData(parseJson(`{"${one}":1,"${two}":2,"5":3}`)))).toBe(
      '{"***":1,"*** (2)":2,"5":3}',
    )
    expect(both.redactHeaders({ [one]: 'a', [two]: 'b', Accept: one })).toEqual({
      '***': 'a',
      '*** (2)': 'b',
      Accept: '***',
    })
  })

  it('without secrets is the same value', () => {
    const value = parseJson('{"a":[1,2.0,{"b":null}],"c":{"2":"x","1":true},"d":99999999999999999999}')
    expect(redactData(value)).toBe(value)
    for (const scalar of [null, true, 5, 'x', 5n, 1e300]) expect(redactData(scalar)).toBe(scalar)
    expect(redactData(new Float(1))).toEqual(new Float(1))
  })
})

describe('headers', () => {
  it('are hidden by name, or by value if the name is harmless', () => {
    const names = [
      'Authorization', 'proxy-authorization', 'COOKIE', 'Set-Cookie', 'X-Api-Key', 'X-Hub-Signature', 'X-Hub-Signature-256', 'Stripe-Signature',
      'X-Slack-Signature', 'X-Shopify-Hmac-Sha256', 'X-Twilio-Signature', 'Signature', 'Signature-Input', 'X-Auth-Token', 'x-connector-key',
    ] // prettier-ignore
    expect(redactHeaders(Object.fromEntries(names.map((name) => [name, 'x'])))).toEqual(
      Object.fromEntries(names.map((name) => [name, '***'])),
    )
    expect(
      redactHeaders({
        Accept: 'json',
        'X-Trace': `t-${plain}`,
        'set-cookie': ['a=1', 'b=2'],
        Via: ['1', plain],
        Host: undefined,
        'X-RateLimit-Token-Count': '5',
      }),
    ).toEqual({
      Accept: 'json',
      'X-Trace': 't-***',
      'set-cookie': ['***', '***'],
      Via: ['1', '***'],
      Host: undefined,
      'X-RateLimit-Token-Count': '5',
    })
  })
})

describe('large inputs', () => {
  // If the work also grew with the length of the secrets, it would exceed the time limit of a test.
  it('take time that depends only on their length, however repetitive they are', () => {
    const repeating = createRedactor({
      secrets: [
        `${'a'.repeat(200_000)}b`,
        `${'ab'.repeat(100_000)}c`,
        ...Array.from({ length: 200 }, (_, index) => `secret-number-${index}`),
      ],
    })
    const texts = [
      'a'.repeat(5_000_000),
      'ab'.repeat(2_500_000),
      'secret-number-'.repeat(350_000),
      `${'a'.repeat(200_000)}b`.repeat(20),
    ]
    const lengths = texts.map((text) => repeating.redactText(text).length)
    expect(lengths).toEqual([5_000_000, 5_000_000, 4_900_000, 60])
  })

  it('yield the same spans as a naive search', () => {
    let state = 3
    const random = (below: number) => (state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0) % below
    const randomText = (length: number) => Array.from({ length }, () => 'ab'[random(2)]).join('')
    for (let round = 0; round < 2000; round++) {
      const parts = [randomText(6), randomText(3), randomText(12)]
      const randomWord = () =>
        Array.from({ length: 4 }, () => parts[random(3)])
          .join('')
          .padEnd(12, 'a')
      const words = Array.from({ length: 1 + random(5) }, randomWord)
      const text = Array.from({ length: random(6) }, () =>
        random(2) === 0 ? randomWord() : randomText(5),
      ).join('')
      const covered = Array.from({ length: text.length }, () => false)
      for (const word of words) {
        for (let at = text.indexOf(word); at !== -1; at = text.indexOf(word, at + 1))
          covered.fill(true, at, at + word.length)
      }
      const found = Array.from({ length: text.length }, () => false)
      for (const { start, end } of new TextMatcher(words).find(text)) found.fill(true, start, end)
      expect({ words, text, found }).toEqual({ words, text, found: covered })
    }
  })
})
