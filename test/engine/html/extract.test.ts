import { describe, expect, test } from 'vitest'
import { type Extraction, extractFields } from '../../../src/main/engine/html/extract.ts'
import { htmlExtract } from '../../../src/shared/contract/step-types/files/html-extract.ts'
import { plain } from '../../helpers/flow-run.ts'

/** Written as in a step's config. */
function extract(html: string, config: object): unknown {
  const { each, fields } = htmlExtract.config.parse(config)
  return plain(extractFields(html, { each, fields } satisfies Extraction))
}

const SHOP = `
  <ul class=shop>
    <li id="a1"><a href="/tea?x=1&amp;y=2">Tea <b>(green)</b></a><span class=price>4.50</span><i>new</i><i>bio</i></li>
    <li id="a2"><a>Cake</a><script>track()</script></li>
  </ul>
  <form><input name=q value=milk><textarea>two\nlines</textarea><select><option>S<option selected value=m>M</select></form>`

describe('fields by CSS selector', () => {
  test('are text, own text, HTML, attributes and values of forms', () => {
    const fields = {
      name: { selector: 'a' },
      own: { selector: 'a', take: 'own_text' },
      html: { selector: 'a', take: 'html' },
      url: { selector: 'a', take: 'attribute', attribute: 'href' },
      none: { selector: 'a', take: 'attribute', attribute: 'constructor' },
      missing: { selector: 'h9' },
      all: { selector: 'i', list: true },
      whole: {},
      field: { selector: 'input', take: 'value' },
      area: { selector: 'textarea', take: 'value' },
      chosen: { selector: 'select', take: 'value' },
      tea: { selector: 'ul > li:nth-child(2)' },
    }
    expect(extract(SHOP, { fields })).toEqual({
      name: 'Tea (green)',
      own: 'Tea',
      html: 'Tea <b>(green)</b>',
      url: '/tea?x=1&y=2',
      none: null,
      missing: null,
      all: ['new', 'bio'],
      whole: 'Tea (green) 4.50 newbio Cake two lines S M'.replace(' 4.50 ', '4.50'),
      field: 'milk',
      area: 'two\nlines',
      chosen: 'm',
      tea: 'Cake',
    })
  })

  test('can be read for each row, and for rows within rows', () => {
    const html = '<table><tr><td>1<td><p>a</p><p>b</p><tr><td>2<td></table>'
    const fields = {
      id: { selector: 'td' },
      lines: { selector: 'p', list: true, fields: { text: {} } },
      first: { selector: 'p', fields: { text: { selector: '' } } },
    }
    expect(extract(html, { each: 'tr', fields })).toEqual([
      { id: '1', lines: [{ text: 'a' }, { text: 'b' }], first: { text: 'a' } },
      { id: '2', lines: [], first: null },
    ])
  })

  test('are read from broken HTML, and from a single row', () => {
    const html = '<div class="x" class=y <p>one<b>two</div></i><p>three<!-- <p>no'
    expect(extract(html, { each: 'div, p', fields: { text: {}, first: { selector: '> b' } } })).toEqual([
      { text: 'onetwo', first: 'two' },
      { text: 'three', first: null },
    ])
  })
})

describe('limits and errors', () => {
  test.for([
    [{ selector: 'a[' }, 'fields.it.selector'],
    [{ selector: ':nothing(a)' }, 'fields.it.selector'],
    [{ selector: 'p', fields: { in: { selector: '>>>' } } }, 'fields.it.fields.in.selector'],
  ] as const)('the invalid selector %j is rejected, with its field', ([field, place]) => {
    expect(() => extract('<p>', { fields: { it: field } })).toThrow(
      expect.objectContaining({
        field: place,
        message: expect.stringContaining("isn't a CSS selector") as string,
      }),
    )
  })

  test('too many characters and records are rejected', () => {
    const much = `${'<div>'.repeat(500)}${'x'.repeat(100_000)}`
    const all = { selector: 'div', list: true, take: 'html' }
    expect(() => extract(much, { fields: { a: all } })).toThrow(
      'the fields exceed the limit of 20,000,000 characters',
    )
    expect(() => extract('<br>'.repeat(200_001), { each: 'br', fields: {} })).toThrow(
      'the page exceeds the limit of 200,000 records',
    )
  })
})

test('elements nested deeper than browsers allow become siblings', () => {
  const html = `${'<div>'.repeat(5_000)}<b>deep</b> text<i>er</i>${'</div>'.repeat(5_000)}<p>after</p>`
  const fields = {
    deep: { selector: 'b' },
    i: { selector: 'i' },

    after: { selector: 'p' },
  }
  expect(extract(html, { fields })).toEqual({ deep: 'deep', i: 'er', after: 'after' })
})

test('an element with 50,000 attributes is read', () => {
  const attributes = Array.from({ length: 50_000 }, (_, at) => `a${at}=${at}`).join(' ')
  const fields = { last: { selector: '[a49999]', take: 'attribute', attribute: 'a49999' } }
  expect(extract(`<a ${attributes} __proto__=x>`, { fields })).toEqual({ last: '49999' })
})
