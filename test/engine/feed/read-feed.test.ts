import { expect, it } from 'vitest'
import { readFeed } from '../../../src/main/engine/feed/read-feed.ts'

const URL_OF_IT = 'https://example.com/feed?key=secret'
const read = async (text: string): Promise<unknown> =>
  JSON.parse(JSON.stringify(await readFeed(text, URL_OF_IT)))

const RSS = `<?xml version="1.0"?>
<rss version="2.0" xmlns:dc="http://purl.org/dc/elements/1.1/" xmlns:content="http://purl.org/rss/1.0/modules/content/">
<channel><title>News</title><link>https://example.com</link><description>d</description><item>
<title>A &amp; B</title><link>https://example.com/1</link><guid isPermaLink="false">g1</guid>
<pubDate>Tue, 03 Mar 2026 08:00:00 GMT</pubDate><description>Short</description>
<content:encoded><![CDATA[<p>Long</p>]]></content:encoded><dc:creator>Ann</dc:creator><category>shop</category>
<enclosure url="https://example.com/a.mp3" length="12" type="audio/mpeg"/></item></channel></rss>`

const ATOM = `<feed xmlns="http://www.w3.org/2005/Atom"><title>News</title><id>u</id><updated>2026-03-03T08:00:00Z</updated>
<entry><id>g1</id><title type="html">A &amp;amp; B</title><link rel="alternate" href="https://example.com/1"/>
<link rel="enclosure" href="https://example.com/a.mp3" length="12" type="audio/mpeg"/><updated>2026-03-03T08:00:00Z</updated>
<author><name>Ann</name></author><summary>Short</summary><content type="html">&lt;p&gt;Long&lt;/p&gt;</content><category term="shop"/></entry></feed>`

const RDF = `<rdf:RDF xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#" xmlns="http://purl.org/rss/1.0/" xmlns:dc="http://purl.org/dc/elements/1.1/">
<channel rdf:about="x"><title>News</title><link>l</link><description>d</description></channel>
<item rdf:about="g1"><title>A</title><link>https://example.com/1</link><description>Short</description><dc:date>2026-03-03T08:00:00Z</dc:date><dc:creator>Ann</dc:creator></item></rdf:RDF>`

const JSON_FEED = JSON.stringify({
  version: 'https://jsonfeed.org/version/1.1',
  title: 'News',
  items: [
    {
      id: 'g1',
      url: 'https://example.com/1',
      title: 'A',
      content_html: '<p>Long</p>',
      summary: 'Short',
      date_published: '2026-03-03T09:00:00+01:00',
      authors: [{ name: 'Ann' }],
      tags: ['shop'],
    },
  ],
})

it.each([
  ['RSS', RSS],
  ['Atom', ATOM],
  ['RDF', RDF],
  ['JSON Feed', JSON_FEED],
])('the format %s yields the same entries', async (_name, text) => {
  expect(await read(text)).toMatchObject([
    {
      id: 'g1',
      title: expect.stringMatching(/^A/),
      link: 'https://example.com/1',
      published: '2026-03-03T08:00:00.000Z',
      author: 'Ann',
      summary: 'Short',
    },
  ])
})

it('every field of an entry is read', async () => {
  expect(await read(RSS)).toEqual([
    {
      id: 'g1',
      title: 'A & B',
      link: 'https://example.com/1',
      published: '2026-03-03T08:00:00.000Z',
      updated: '2026-03-03T08:00:00.000Z',
      author: 'Ann',
      summary: 'Short',
      content: '<p>Long</p>',
      categories: ['shop'],
      enclosures: [{ url: 'https://example.com/a.mp3', type: 'audio/mpeg', length: 12 }],
    },
  ])
})

it('an entry without an ID is identified by its link, or by its title and time; an invalid date is left out', async () => {
  const item = (inner: string) => `<rss version="2.0"><channel><title>N</title>${inner}</channel></rss>`
  const [linked] = (await read(
    item('<item><link>https://example.com/7</link><pubDate>soon</pubDate></item>'),
  )) as object[]
  const [titled] = (await read(item('<item><title>T</title></item>'))) as object[]
  expect(linked).toMatchObject({ id: 'https://example.com/7', published: null })
  expect(titled).toMatchObject({ id: expect.stringMatching(/^[0-9a-f]{32}$/) })
})

it.each([
  ['', "https://example.com/feed isn't a feed: it must be RSS, Atom or JSON Feed"],
  ['<html><body>Sign in</body></html>', "https://example.com/feed isn't a feed"],
  ['{"items": 4}', "isn't a feed"],
  ['[1,2', "isn't a feed"],
  [
    '<!DOCTYPE rss [<!ENTITY a "aaaa">]><rss version="2.0"><channel><title>&a;</title></channel></rss>',
    'has a document type',
  ],
])('%j is rejected with a sentence', async (text, message) => {
  await expect(read(text)).rejects.toThrow(message)
})
