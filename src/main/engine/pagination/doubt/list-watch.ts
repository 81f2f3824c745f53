import { say, type Said } from '../../../../shared/contract/base/message.ts'
import { type Data, entriesOf, getKey, isDictionary, isList } from '@millrace/jinja/data'
import type { ApiRequest } from '../../request/api-request.ts'
import type { PageConfig } from '../model/page-config.ts'
import type { Doubt, FetchedPage } from '../model/page-run.ts'
import { plainName } from '../suggest/paging-names.ts'
import { valuesIn } from '../suggest/response-values.ts'
import { type Announced, announcedBy, linksNext } from './announced.ts'
import { type ListTraits, traitsOf } from './missing-list.ts'
import { otherCase, pathsOf, unseenCursor } from './unseen-cursor.ts'

/** Facts about the pages so far, to judge whether their list is complete. Part of a checkpoint. */
export type Watched = {
  /** Null if no page had a list yet. */
  readonly traits: ListTraits | null
  /** Records of all pages, before a filter or `dedupe_by`. */
  readonly count: number
  readonly firstSize: number
  /** The total in the first response. */
  readonly total: number | null
  readonly firstPage: number | null
  /** What the first response contained instead of a list; null if it had one. */
  readonly missed: Missed | null
  /** Whether a list was found after such a response. Absent in checkpoints stored by an earlier version. */
  readonly startsLate?: boolean
  /**
   * Whether a list on the path to the records had as many elements as there were records, on each page. Absent in the
   * same checkpoints.
   */
  readonly isOneEach?: boolean
}

/** Where else a list is, as the end of a sentence. A string in checkpoints stored by an earlier version. */
type Missed = string | { readonly key: string; readonly params: { readonly [name: string]: string | number } }

/** Follows the pages of a run, and finds reasons to doubt that the list really ends with the last one. */
export class ListWatch {
  #watched: Watched

  constructor(saved?: Watched) {
    this.#watched = saved ?? NOTHING_YET
  }

  get watched(): Watched {
    return this.#watched
  }

  /** Takes note of a page whose records are kept. */
  note(page: FetchedPage): void {
    const { call, body, read, response, way } = page
    const before = this.#watched
    const isFirst = call.page === 0
    const said = isFirst ? announcedBy(body, response.headers, way) : null
    const hasList = read.place === 'list' || read.place === 'nothing' || read.found === 'records'
    this.#watched = {
      ...before,
      traits: hasList && read.found !== 'single' ? traitsOf(page, before.traits) : before.traits,
      count: before.count + read.unfiltered.length,
      isOneEach: (isFirst || before.isOneEach === true) && (read.unfiltered.length === 0 || isOneEach(page)),
      firstSize: Math.max(before.firstSize, read.unfiltered.length),
      total: said === null ? before.total : totalIn(said, read.unfiltered.length),
      firstPage: said === null ? before.firstPage : said.page,
      missed: isFirst && read.found === 'missing' ? otherListIn(body) : before.missed,
    }
  }

  /**
   * Once a list has been found later, returns the content that the first response had instead. Returns it only once.
   */
  foundLater(): Missed | null {
    const { missed, traits } = this.#watched
    if (missed === null || traits === null) return null
    this.#watched = { ...this.#watched, missed: null, startsLate: true }
    return missed
  }

  /**
   * Whether a page that repeats the previous one really ends the list, because a total is reached or the last
   * page was short.
   */
  isHonestRepeat(size: number): boolean {
    const { total, count, firstSize } = this.#watched
    return (total !== null && total === count) || size < firstSize
  }

  get isTotalReached(): boolean {
    return this.#watched.total === this.#watched.count && this.#watched.count > 0
  }

  /**
   * Why the end of the list is in doubt.
   *
   * @param page the last one
   * @param configs all configurations of the run, if none applied to the last page
   */
  doubtsAtEnd(page: FetchedPage, configs: readonly PageConfig[], action: ApiRequest): readonly Doubt[] {
    const doubts: Doubt[] = []
    const used = page.config === null ? configs : [page.config]
    const { missed } = this.#watched
    // If an API leaves out empty lists, only the presence of another list shows that the path is wrong.
    if (missed !== null && !(missed === '' && used.some(({ listMayBeAbsent }) => listMayBeAbsent)))
      doubts.push({ code: 'jsonpath_no_match', detail: missed })
    const hint = this.#unseen(page, used)
    if (hint !== null) doubts.push({ code: 'cursor_never_seen', detail: hint })
    const more = this.#announced(page, used, action)
    if (more !== null) doubts.push({ code: 'more_announced', detail: more })
    return doubts
  }

  #unseen({ call, body, read, response }: FetchedPage, configs: readonly PageConfig[]): string | Said | null {
    if (call.page !== 0 || read.unfiltered.length === 0 || read.found === 'single') return null
    if (configs.some(({ cursorMayBeAbsent }) => cursorMayBeAbsent)) return null
    const unseen = unseenCursor(configs, body, response.headers)
    if (unseen === null) return null
    return unseen.nearest === null
      ? `"${unseen.path}"`
      : say('"{{path}}"; it has "{{nearest}}"', { path: unseen.path, nearest: unseen.nearest })
  }

  /** The number of records that the API names, unless it may count something else or start elsewhere. */
  totalAtEnd(page: FetchedPage, configs: readonly PageConfig[], action: ApiRequest): number | null {
    const { body, response, read, way, config } = page
    const { count, isOneEach = false } = this.#watched
    if (read.found === 'single') return null
    const total = this.#total(announcedBy(body, response.headers, way), read.unfiltered.length)
    if (total === null || total < count || total === 0) return null
    const isOfRecords = isOneEach || (config === null ? configs : [config]).every(isOneList)
    return total === count || (isOfRecords && !startsLater(action)) ? total : null
  }

  /** A total lower than the number of records read, as on a page after the last one, can't be the number of records. */
  #total(said: Announced, size: number): number | null {
    const last = totalIn(said, size)
    return last !== null && last >= this.#watched.count ? last : (this.#watched.total ?? last)
  }

  #announced(page: FetchedPage, configs: readonly PageConfig[], action: ApiRequest): Said | null {
    const { body, response, read } = page
    if (read.found === 'single') return null
    const { headers } = response
    const said = announcedBy(body, headers, page.way)
    const { count } = this.#watched
    const total = this.totalAtEnd(page, configs, action)
    if (total !== null && total === count) return null
    if (total !== null) return say('the API says {{total}} records; {{count}} were read', { total, count })
    if (said.least !== null && said.least >= count && !startsLater(action))
      return say('the API says at least {{least}} records; {{count}} were read', { least: said.least, count })
    if (said.more === true)
      return say('the API says that there is more ({{flag}}); {{count}} records were read', {
        flag: said.flag,
        count,
      })
    if (isBeforeLast(said, this.#watched.firstPage) && !startsLater(action))
      return say('the API says that this is page {{page}} of {{pages}}; {{count}} records were read', {
        page: said.page ?? '',
        pages: said.pages ?? '',
        count,
      })
    if (said.more === false) return null
    const [next] = said.next.filter((path) => !configs.some((config) => reads(config, path)))
    const renamed = next ?? (page.call.page > 0 ? otherCase(configs, body) : null) ?? undefined
    if (renamed !== undefined)
      return say('the API names a next page ("{{path}}"); {{count}} records were read', {
        path: renamed,
        count,
      })
    const linked = configs.every(({ names }) => !names.has('links') && !names.has('previous_request_headers'))
    return linked && linksNext(headers, response.url)
      ? say('the API names a next page (the "Link" header); {{count}} records were read', { count })
      : null
  }
}

const NOTHING_YET: Watched = {
  traits: null,
  count: 0,
  firstSize: 0,
  total: null,
  firstPage: null,
  missed: null,
}

/** Pages are counted from 0 or from 1, which only the first response shows. */
function isBeforeLast({ page, pages }: Announced, first: number | null): boolean {
  if (page === null || pages === null) return false
  return first === 1 ? page < pages : page < pages - 1
}

/** A `count` that equals the records of its page says nothing about the others. */
function totalIn({ total, mayCountPage }: Announced, size: number): number | null {
  return mayCountPage && total === size ? null : total
}

/** Whether each element of the list on the way has one record, as in `$.edges[*].node`. */
function isOneEach({ body, way, read }: FetchedPage): boolean {
  let value: Data | undefined = body
  for (const name of way) value = isDictionary(value) ? getKey(value, name) : undefined
  return isList(value) && value.length === read.unfiltered.length
}

/** Whether records come from a single list. Otherwise a total may count something else. */
function isOneList({ responsePath }: PageConfig): boolean {
  const way = (responsePath ?? '').trim().replace(/\[[^[\]]*\]$/, '')
  return !/\*|\.\.|\[\?/.test(way)
}

function reads(config: PageConfig, path: string): boolean {
  return pathsOf(config).some(({ root, keys }) => {
    const read = keys.join('.')
    return root === 'previous_request' && (path === read || path.startsWith(`${read}.`))
  })
}

/**
 * Whether the action asks for a later part of the list, so that the total is larger than the number of
 * records read.
 */
function startsLater({ query, endpoint }: ApiRequest): boolean {
  const written = new URLSearchParams(endpoint.split('?')[1] ?? '')
  return [...entriesOf(query), ...written].some(([name, value]) => {
    const plain = plainName(name)
    if (POSITIONS.has(plain)) return Number(value) > 1
    return CURSORS.has(plain) && value !== null && value !== '' && value !== '*'
  })
}

const POSITIONS: ReadonlySet<string> = new Set(
  'page pagenumber offset skip start startat startindex from'.split(' '),
)
const CURSORS: ReadonlySet<string> = new Set(
  'cursor after pagetoken nextcursor nexttoken startingafter startafter sinceid'.split(' '),
)

/** Another list in a response in which the path found none, as the end of a sentence. */
export function otherListIn(body: Data): Missed {
  if (isList(body)) {
    const count = body.length
    return count === 0 ? '' : stored(say('; the response is a list of {{count}}: use "$"', { count }))
  }
  const lists = valuesIn(body).flatMap(({ keys, value }) =>
    isList(value) && value.length > 0 && isDictionary(value[0]) ? [{ keys, size: value.length }] : [],
  )
  const [best] = lists.toSorted((a, b) => b.size - a.size)
  if (best === undefined) return ''
  const path = `$${best.keys.map((key) => (/^[A-Za-z_]\w*$/.test(key) ? `.${key}` : `['${key}']`)).join('')}`
  const params = { path, count: best.size }
  return best.size === 1
    ? stored(say('; "{{path}}" has {{count}} record. Use it', params))
    : stored(say('; "{{path}}" has {{count}} records. Use it', params))
}

/** The form in which a checkpoint stores the message. */
const stored = ({ key, params }: Said) => ({ key, params }) as Missed
