/**
 * Text from outside, a megabyte of each of the worst kinds. Whatever reads it takes linear time; a quadratic reader
 * would need minutes. The limit is far above what any of them takes, for the sake of slow machines.
 */
import { expect, it } from 'vitest'
import { parseLiteral, renderTemplate } from '../../packages/jinja/src/template/index.ts'
import { htmlToMarkdown } from '../../src/main/engine/html/html-to-markdown.ts'
import { placeOf } from '../../src/main/engine/request/request-error.ts'
import { oneLine } from '../../src/main/engine/flow/steps/support/mail-fields.ts'
import { readOperation } from '../../src/main/engine/sftp/operation.ts'
import { wordsOf } from '../../src/main/engine/pagination/suggest/paging-names.ts'
import { isOwnDestination } from '../../src/main/services/reaching/auths/destinations.ts'
import { fetchImage } from '../../src/main/services/reaching/connectors/connector-images.ts'
import { tunnelUrlIn } from '../../src/main/services/serving/tunnel/ssh.ts'
import { dictionaryOf } from '../../packages/jinja/src/data/value.ts'
import { readCurl } from '../../packages/curl/src/index.ts'
import { toSnippet } from '../../src/renderer/lib/snippets.ts'

const LENGTH = 1_000_000
const MOST_MS = 5_000
const times = (text: string) => text.repeat(Math.ceil(LENGTH / text.length))

const WORST: Readonly<Record<string, string>> = {
  digits: `${times('1')}x`,
  'digits with underscores': `${times('1_1')}x`,
  zeros: `1.${times('0')}x`,
  blanks: `${times(' ')}x`,
  'lines of blanks': `x${times(' \n ')}x`,
  slashes: `https://x.test${times('/')}x`,
  backslashes: `${times('\\')}x`,
  braces: times('{{ '),
  comments: `<!--${times('--><!--')}`,
  'curl after curl': times('curl `'),
  capitals: `${times('A')}1`,
  equals: `?${times('?')}`,
  forwarding: times('forwarding https://'),
}

const limits = { milliseconds: 60_000 }
const rendered = (template: string) => (text: string) => renderTemplate(template, { text }, { limits })

const READERS: Readonly<Record<string, (text: string) => unknown>> = {
  float: rendered('{{ text | float }}'),
  int: rendered('{{ text | int }}'),
  filesizeformat: rendered('{{ text | filesizeformat }}'),
  isprintable: rendered('{{ text.isprintable() }}'),
  urlize: rendered('{{ text | urlize | length }}'),
  parseLiteral,
  htmlToMarkdown: (text) => htmlToMarkdown(`<table><tr><td>${text}</td></tr></table>`),
  placeOf: (text) => placeOf(`https://x.test/?${text}`),
  oneLine,
  readOperation: (base64) =>
    readOperation(
      dictionaryOf([
        ['operation', 'write'],
        ['path', '/x'],
        ['base64', base64],
      ]),
    ),
  wordsOf,
  tunnelUrlIn,
  readCurl: (text) => readCurl(`curl ${text}`),
  'cmd snippet': (body) =>
    toSnippet('cmd', {
      method: 'POST',
      url: 'https://x.test',
      headers: [],
      body: { kind: 'text', text: body },
    } as never),
}

it.each(Object.keys(READERS))('%s reads a megabyte of anything in linear time', (reader) => {
  const slow: string[] = []
  for (const [kind, text] of Object.entries(WORST)) {
    const began = performance.now()
    try {
      READERS[reader]?.(text)
    } catch {
      // Rejecting the text is just as good.
    }
    const ms = performance.now() - began
    if (ms > MOST_MS) slow.push(`${kind}: ${Math.round(ms)} ms`)
  }
  expect(slow).toEqual([])
})

it('an image that is nearly an SVG is refused at once', async () => {
  const bytes = Buffer.from(`${'<!--a-->'.repeat(28)}<!--`)
  const image = await fetchImage(
    () => Promise.resolve({ status: 200, headers: [], body: bytes } as never),
    'https://x.test/a.svg',
  )
  expect(image).toEqual({
    warning: expect.objectContaining({ code: 'image_not_fetched' }),
  })
})

it('an SVG may begin with a declaration, a document type and comments', async () => {
  const body = Buffer.from(
    '\ufeff<?xml version="1.0"?>\n<!-- a --> <!DOCTYPE svg>\n<!-- b -->\n<svg xmlns="x"/>',
  )
  const image = await fetchImage(
    () => Promise.resolve({ status: 200, headers: [], body } as never),
    'https://x.test',
  )
  expect(image).toEqual({ image: { contentType: 'image/svg+xml', bytes: body } })
})

it('a host is compared with any number of places in linear time', () => {
  const known = [`https://${'*'.repeat(6)}.a.test`, 'https://*-*.b.test']
  const of = (host: string) => isOwnDestination(new URL(`https://${host}`), known)
  expect([
    of(`${'a'.repeat(63)}.${'a'.repeat(63)}.${'a'.repeat(60)}.x`),
    of('abcdef.a.test'),
    of('abcde.a.test'),
    of('eu-1.b.test'),
    of('eu1.b.test'),
  ]).toEqual([false, true, false, true, false])
})
