import { type ApiShape, byOffset, byToken, withHeaders } from './shape.ts'

const element = (name: string, id: string) => `<${name}><id>${id}</id></${name}>`
const escaped = (text: string) => text.replaceAll('&', '&amp;').replaceAll('<', '&lt;')

/** Pages that aren't JSON. */
export const OTHER_FORMATS: readonly ApiShape[] = [
  {
    name: 'OAI-PMH',
    call: 'GET oai?verb=ListRecords&metadataPrefix=oai_dc',
    serve: (request) =>
      request.query.has('resumptionToken') && request.query.has('metadataPrefix')
        ? { status: 400, body: 'resumptionToken is exclusive' }
        : byToken('resumptionToken', (c) =>
            withHeaders(
              { 'Content-Type': 'text/xml' },
              `<OAI-PMH><responseDate>x</responseDate><ListRecords>${c.rows.map(({ id }) => element('record', id)).join('')}${c.next === null ? '<resumptionToken/>' : `<resumptionToken completeListSize="8">${c.next}</resumptionToken>`}</ListRecords></OAI-PMH>`,
            ),
          )(request),
  },
  {
    name: 'Atom',
    call: 'GET feeds/all',
    serve: byToken('p', (c) =>
      withHeaders(
        { 'Content-Type': 'application/atom+xml' },
        `<feed xmlns="http://www.w3.org/2005/Atom"><title>x</title><link rel="self" href="${escaped(c.link({}))}"/>${c.next === null ? '' : `<link rel="next" href="${escaped(c.link({ p: c.next }))}"/>`}${c.rows.map(({ id }) => element('entry', id)).join('')}</feed>`,
      ),
    ),
  },
  {
    name: 'arXiv',
    call: 'GET api/query?search_query=all:x&max_results=3',
    serve: byOffset('start', 0, (c) =>
      withHeaders(
        { 'Content-Type': 'application/atom+xml' },
        `<feed><opensearch:totalResults xmlns:opensearch="o">${c.total}</opensearch:totalResults><opensearch:startIndex xmlns:opensearch="o">${c.start}</opensearch:startIndex>${c.rows.map(({ id }) => element('entry', id)).join('')}</feed>`,
      ),
    ),
  },
  {
    name: 'Amazon S3',
    call: 'GET bucket?list-type=2&max-keys=3',
    serve: byToken('continuation-token', (c) =>
      withHeaders(
        { 'Content-Type': 'application/xml' },
        `<ListBucketResult><Name>bucket</Name><IsTruncated>${c.more}</IsTruncated>${c.rows.map(({ id }) => `<Contents><Key>${id}</Key></Contents>`).join('')}${c.next === null ? '' : `<NextContinuationToken>${c.next}</NextContinuationToken>`}</ListBucketResult>`,
      ),
    ),
  },
  {
    name: 'JSON lines with a cursor in a header',
    call: 'GET v1/export?limit=3',
    serve: byToken('cursor', (c) =>
      withHeaders(
        { 'Content-Type': 'application/x-ndjson', 'X-Next-Cursor': c.next },
        c.rows.map((row) => JSON.stringify(row)).join('\n'),
      ),
    ),
  },
  {
    name: 'CSV by offset',
    call: 'GET v1/export.csv?limit=3',
    serve: byOffset('offset', 0, (c) =>
      withHeaders(
        { 'Content-Type': 'text/csv' },
        ['id,name', ...c.rows.map(({ id, name }) => `${id},${name}`)].join('\n'),
      ),
    ),
  },
]
