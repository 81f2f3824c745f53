/**
 * An API with numbered pages in its own process: `node paged-api.ts PAGES RECORDS` prints its URL. It responds from
 * memory, so that the benchmark measures the client.
 */
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { fileURLToPath, pathToFileURL } from 'node:url'

export interface PagedApi {
  readonly url: string
  close(): Promise<void>
}

/** Serves pages of records at `/items?page=N`, and an empty one after the last. */
export async function startPagedApi(pages: number, records: number): Promise<PagedApi> {
  const child: ChildProcess = spawn(
    process.execPath,
    [fileURLToPath(import.meta.url), String(pages), String(records)],
    { stdio: ['ignore', 'pipe', 'inherit'] },
  )
  const [line] = (await once(child.stdout ?? child, 'data')) as [Buffer]
  return {
    url: line.toString().trim(),
    async close() {
      child.kill()
      await once(child, 'exit')
    },
  }
}

async function serve(pages: number, records: number): Promise<void> {
  const texts = Array.from({ length: Math.min(pages, 100) }, (_, page) => pageText(page, records))
  const server = createServer((incoming, response) => {
    const page = Number(/[?&]page=(\d+)/.exec(incoming.url ?? '')?.[1] ?? 1)
    response.setHeader('Content-Type', 'application/json')
    response.end(page > pages ? '{"items":[]}' : `{"items":[{"page":${page}},${texts[page % texts.length]}]}`)
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  process.stdout.write(`http://127.0.0.1:${(server.address() as AddressInfo).port}\n`)
}

/** One record fewer than requested, because the first record of a page holds the page number. */
function pageText(page: number, records: number): string {
  const items = Array.from({ length: records - 1 }, (_, at) => ({
    id: page * records + at,
    name: `Record ${at} of page ${page}`,
    email: `person.${page}.${at}@example.com`,
    active: at % 3 === 0,
    score: at / 7,
    tags: ['one', 'two'],
    address: { city: 'Bern', zip: '3000' },
  }))
  return items.map((item) => JSON.stringify(item)).join(',')
}

if (process.argv[1] !== undefined && import.meta.url === pathToFileURL(process.argv[1]).href) {
  await serve(Number(process.argv[2]), Number(process.argv[3]))
}
