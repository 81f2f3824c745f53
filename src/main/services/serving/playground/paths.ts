/** All paths of the playground, with their descriptions in the index. */
import { ok, problem, wholeNumber, type PlaygroundAnswer, type PlaygroundRequest } from './answer.ts'
import { ARTICLES, CONTACTS, ORDERS } from './data.ts'
import {
  contactsByHeader,
  contactsByPage,
  contactsByQuery,
  ordersByLink,
  ordersByOffset,
  ordersByPage,
  ticketsByCursor,
  ticketsBySkip,
} from './shapes.ts'

/** Not a secret, because it only protects made-up records and lets users test a stored credential. */
export const PLAYGROUND_TOKEN = 'playground-token'

const LIMIT_REQUESTS = 5
const LIMIT_WINDOW_MS = 2_000

export interface PlaygroundPath {
  readonly method: 'GET' | 'POST'
  readonly path: string
  readonly about: string
  readonly answer: (request: PlaygroundRequest) => PlaygroundAnswer
}

/** Some paths remember earlier requests (failures, limits, new orders), so each playground has its own. */
export function createPlaygroundPaths(now: () => number): readonly PlaygroundPath[] {
  const flaky = createFlaky()
  const limited = createLimited(now)
  return [
    {
      method: 'GET',
      path: 'contacts',
      about: '?page= from 1, records under "contacts"',
      answer: contactsByPage,
    },
    {
      method: 'GET',
      path: 'orders',
      about: '?page= from 1 and ?created_after=, the response is the list',
      answer: ordersByPage,
    },
    {
      method: 'GET',
      path: 'tickets',
      about: '?after= takes the cursor in paging.next.after',
      answer: ticketsByCursor,
    },
    {
      method: 'POST',
      path: 'contacts/query',
      about: 'first page; then contacts/query/more',
      answer: contactsByQuery,
    },
    { method: 'POST', path: 'contacts/query/more', about: 'only {"cursor": "…"}', answer: contactsByQuery },
    { method: 'GET', path: 'orders/by-offset', about: '?limit= and ?offset= from 1', answer: ordersByOffset },
    { method: 'GET', path: 'tickets/by-skip', about: '?limit= and ?skip= from 0', answer: ticketsBySkip },
    { method: 'GET', path: 'contacts/by-header', about: 'X-Offset and X-Limit', answer: contactsByHeader },
    { method: 'GET', path: 'orders/linked', about: 'Link header, rel="next"', answer: ordersByLink },
    {
      method: 'GET',
      path: 'protected/contacts',
      about: `like contacts, with Authorization: Bearer ${PLAYGROUND_TOKEN}`,
      answer: bearerProtected(contactsByPage),
    },
    {
      method: 'GET',
      path: 'slow',
      about: '?seconds= from 0 to 60, then responds',
      answer: ({ query }) => {
        const seconds = wholeNumber(query.get('seconds'), 2, 0, 60)
        return { ...ok({ waited_seconds: seconds }), delayMs: seconds * 1_000 }
      },
    },
    {
      method: 'GET',
      path: 'flaky/orders',
      about: 'like orders; every third request returns 503',
      answer: (request) => flaky(request, ordersByPage),
    },
    {
      method: 'GET',
      path: 'limited/tickets',
      about: `like tickets; ${LIMIT_REQUESTS} requests in ${LIMIT_WINDOW_MS / 1_000} s, then 429 with Retry-After`,
      answer: (request) => limited(request, ticketsByCursor),
    },
    { method: 'POST', path: 'orders', about: 'creates an order (and forgets it)', answer: createOrder },
    {
      method: 'GET',
      path: 'contact',
      about: '?email= one contact, 404 if there is none',
      answer: ({ query }) => {
        const found = CONTACTS.find((contact) => contact.email === query.get('email')?.toLowerCase())
        return found ? ok(found) : problem(404, `no contact has the email "${query.get('email') ?? ''}"`)
      },
    },
    { method: 'GET', path: 'feed', about: 'a JSON Feed with three articles', answer: feed },
    { method: 'GET', path: 'articles.html', about: 'a web page with the same articles', answer: webPage },
    {
      method: 'POST',
      path: 'echo',
      about: 'returns what it received',
      answer: ({ query, headers, body }) => ok({ query: Object.fromEntries(query), headers, body }),
    },
  ]
}

function feed({ base }: PlaygroundRequest): PlaygroundAnswer {
  const body = {
    version: 'https://jsonfeed.org/version/1.1',
    title: 'News of the playground',
    home_page_url: base,
    items: ARTICLES.map(({ id, title, summary, date }) => ({
      id,
      title,
      summary,
      url: `${base}/feed#${id}`,
      date_published: date,
    })),
  }
  return ok(body, { 'Content-Type': 'application/feed+json' })
}

function webPage({ base }: PlaygroundRequest): PlaygroundAnswer {
  const articles = ARTICLES.map(
    ({ id, title, summary, date }) =>
      `<article>\n<h2><a href="${base}/feed#${id}">${title}</a></h2>\n<time datetime="${date}">${date.slice(0, 10)}</time>\n<p>${summary}</p>\n</article>`,
  ).join('\n')
  const body = `<!DOCTYPE html>\n<html lang="en">\n<title>News of the playground</title>\n<h1>News</h1>\n${articles}\n</html>\n`
  return ok(body, { 'Content-Type': 'text/html; charset=utf-8' })
}

function bearerProtected(answer: PlaygroundPath['answer']): PlaygroundPath['answer'] {
  return (request) =>
    request.headers.authorization === `Bearer ${PLAYGROUND_TOKEN}`
      ? answer(request)
      : problem(401, `send Authorization: Bearer ${PLAYGROUND_TOKEN}`, { 'WWW-Authenticate': 'Bearer' })
}

function createFlaky() {
  let count = 0
  return (request: PlaygroundRequest, answer: PlaygroundPath['answer']): PlaygroundAnswer => {
    count += 1
    return count % 3 === 0 ? problem(503, 'every third request fails here; send it again') : answer(request)
  }
}

function createLimited(now: () => number) {
  let window = { startedAt: -Infinity, count: 0 }
  return (request: PlaygroundRequest, answer: PlaygroundPath['answer']): PlaygroundAnswer => {
    const at = now()
    if (at - window.startedAt >= LIMIT_WINDOW_MS) window = { startedAt: at, count: 0 }
    window.count += 1
    const seconds = Math.max(1, Math.ceil((window.startedAt + LIMIT_WINDOW_MS - at) / 1_000))
    const headers = {
      'X-RateLimit-Limit': String(LIMIT_REQUESTS),
      'X-RateLimit-Remaining': String(Math.max(0, LIMIT_REQUESTS - window.count)),
      'X-RateLimit-Reset': String(seconds),
    }
    if (window.count > LIMIT_REQUESTS) {
      return problem(429, `too many requests; wait ${seconds} s`, {
        ...headers,
        'Retry-After': String(seconds),
      })
    }
    const answered = answer(request)
    return { ...answered, headers: { ...answered.headers, ...headers } }
  }
}

function createOrder({ body }: PlaygroundRequest): PlaygroundAnswer {
  const valid = body !== null && typeof body === 'object' && !Array.isArray(body)
  if (!valid || typeof (body as { total?: unknown }).total !== 'number') {
    return problem(422, 'an order is a JSON object with a number "total"')
  }
  const id = 1000 + ORDERS.length + 1
  return { status: 201, body: { ...body, id, status: 'open' } }
}
