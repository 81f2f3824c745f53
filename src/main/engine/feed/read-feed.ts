/** Reads RSS, Atom, RDF and JSON Feed into one format. */
import { AppError } from '../../../shared/contract/base/errors.ts'
import { say } from '../../../shared/contract/base/message.ts'
import {
  type Data,
  type Dictionary,
  dictionaryOf,
  getKey,
  isDictionary,
  isList,
  parseJson,
} from '@millrace/jinja/data'
import { idOf } from '../polling/new-entries.ts'

/**
 * The entries of a feed, in its order. The parser is loaded with the first feed.
 *
 * @throws AppError if it isn't a feed
 */
export async function readFeed(text: string, url: string): Promise<readonly Dictionary[]> {
  // The parser ignores document types, so entities that they define would be silently missing from the text.
  if (DOCTYPE.test(text))
    throw new AppError(
      'validation',
      say("The feed at {{url}} has a document type (<!DOCTYPE …>), so it isn't read", { url: shortUrl(url) }),
    )
  const { parseFeed } = await import('feedsmith')
  const parsed = orRefuse(url, () => parseFeed(text))
  const feed = dataOf(parsed.feed)
  const entries = listOf(feed, parsed.format === 'atom' ? 'entries' : 'items')
  return entries.filter(isDictionary).map((entry) => READERS[parsed.format](entry))
}

const DOCTYPE = /<!DOCTYPE/i

function orRefuse<T>(url: string, parse: () => T): T {
  try {
    return parse()
  } catch (cause) {
    throw new AppError(
      'validation',
      say("{{url}} isn't a feed: it must be RSS, Atom or JSON Feed", { url: shortUrl(url) }),
      {
        cause,
      },
    )
  }
}

/** Copies the parser's objects, which can be of any class, to plain data. */
function dataOf(feed: unknown): Dictionary {
  const data = parseJson(JSON.stringify(feed))
  return isDictionary(data) ? data : dictionaryOf([])
}

type ReadEntry = (entry: Dictionary) => Dictionary

const READERS: Readonly<Record<'rss' | 'rdf' | 'atom' | 'json', ReadEntry>> = {
  rss: (entry) =>
    entryOf({
      id: textAt(entry, 'guid', 'value'),
      title: textAt(entry, 'title'),
      link: textAt(entry, 'link'),
      published: textAt(entry, 'pubDate') ?? firstText(entry, 'dc', 'dates'),
      updated: textAt(entry, 'atom', 'updated') ?? firstText(entry, 'dcterms', 'modified'),
      author: textAt(entry, 'author') ?? firstText(entry, 'authors') ?? firstText(entry, 'dc', 'creators'),
      summary: textAt(entry, 'description'),
      content: textAt(entry, 'content', 'encoded'),
      categories: textsOf(entry, 'categories', 'name'),
      enclosures: listOf(entry, 'enclosures').map((item) => enclosure(item, 'url', 'type', 'length')),
    }),
  rdf: (entry) =>
    entryOf({
      id: textAt(entry, 'rdf', 'about'),
      title: textAt(entry, 'title'),
      link: textAt(entry, 'link'),
      published: firstText(entry, 'dc', 'dates'),
      updated: null,
      author: firstText(entry, 'dc', 'creators'),
      summary: textAt(entry, 'description'),
      content: textAt(entry, 'content', 'encoded'),
      categories: [],
      enclosures: [],
    }),
  atom: (entry) =>
    entryOf({
      id: textAt(entry, 'id'),
      title: textAt(entry, 'title', 'value'),
      link: linkOf(entry),
      published: textAt(entry, 'published'),
      updated: textAt(entry, 'updated'),
      author: textsOf(entry, 'authors', 'name')[0] ?? null,
      summary: textAt(entry, 'summary', 'value'),
      content: textAt(entry, 'content', 'value'),
      categories: textsOf(entry, 'categories', 'term'),
      enclosures: linksOf(entry, 'enclosure').map((item) => enclosure(item, 'href', 'type', 'length')),
    }),
  json: (entry) =>
    entryOf({
      id: textAt(entry, 'id'),
      title: textAt(entry, 'title'),
      link: textAt(entry, 'url') ?? textAt(entry, 'external_url'),
      published: textAt(entry, 'date_published'),
      updated: textAt(entry, 'date_modified'),
      author: textsOf(entry, 'authors', 'name')[0] ?? null,
      summary: textAt(entry, 'summary'),
      content: textAt(entry, 'content_html') ?? textAt(entry, 'content_text'),
      categories: listOf(entry, 'tags').filter((tag) => typeof tag === 'string'),
      enclosures: listOf(entry, 'attachments').map((item) =>
        enclosure(item, 'url', 'mime_type', 'size_in_bytes'),
      ),
    }),
}

interface FeedEntry {
  readonly id: string | null
  readonly title: string | null
  readonly link: string | null
  readonly published: string | null
  readonly updated: string | null
  readonly author: string | null
  readonly summary: string | null
  readonly content: string | null
  readonly categories: readonly Data[]
  readonly enclosures: readonly Data[]
}

/** An entry without an ID is identified by its link, or without one by its title and time. */
function entryOf({ id, title, link, published, updated, ...rest }: FeedEntry): Dictionary {
  const times = { published: isoOf(published), updated: isoOf(updated) }
  return dictionaryOf([
    ['id', id ?? link ?? idOf([title, published, rest.summary])],
    ['title', title],
    ['link', link],
    ['published', times.published ?? times.updated],
    ['updated', times.updated ?? times.published],
    ...Object.entries(rest),
  ])
}

/** Null for anything that isn't a date, so that templates and cursors can rely on the format. */
function isoOf(text: string | null): string | null {
  const time = text === null ? Number.NaN : Date.parse(text)
  return Number.isNaN(time) ? null : new Date(time).toISOString()
}

function linkOf(entry: Dictionary): string | null {
  const [first] = [...linksOf(entry, 'alternate'), ...linksOf(entry, null)]
  return first === undefined ? null : textAt(first, 'href')
}

function linksOf(entry: Dictionary, rel: string | null): Dictionary[] {
  return listOf(entry, 'links')
    .filter(isDictionary)
    .filter((link) => textAt(link, 'rel') === rel)
}

function enclosure(item: Data, url: string, type: string, length: string): Data {
  const given = isDictionary(item) ? item : dictionaryOf([])
  return dictionaryOf([
    ['url', getKey(given, url) ?? null],
    ['type', getKey(given, type) ?? null],
    ['length', getKey(given, length) ?? null],
  ])
}

function at(value: Data, path: readonly string[]): Data {
  return path.reduce<Data>((found, key) => (isDictionary(found) ? (getKey(found, key) ?? null) : null), value)
}

function textAt(entry: Dictionary, ...path: readonly string[]): string | null {
  const value = at(entry, path)
  return typeof value === 'string' && value !== '' ? value : null
}

function listOf(entry: Dictionary, ...path: readonly string[]): readonly Data[] {
  const value = at(entry, path)
  return isList(value) ? value : []
}

function firstText(entry: Dictionary, ...path: readonly string[]): string | null {
  const value = at(entry, path)
  const [first] = isList(value) ? value : [value]
  return typeof first === 'string' && first !== '' ? first : null
}

function textsOf(entry: Dictionary, list: string, key: string): string[] {
  return listOf(entry, list).flatMap((item) => (isDictionary(item) ? (textAt(item, key) ?? []) : []))
}

/** The URL without parts that can contain credentials. */
function shortUrl(url: string): string {
  const parsed = URL.parse(url)
  return parsed === null ? 'the URL' : `${parsed.origin}${parsed.pathname}`.slice(0, 200)
}
