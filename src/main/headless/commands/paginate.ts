import { WHEN_IN_DOUBT } from '../../../shared/contract/base/pagination-config.ts'
import {
  type PaginationEvent,
  paginationTestBody,
  testPaginationRoute,
} from '../../../shared/contract/pagination.ts'
import { type Data, JsonError, parseJson, writeJson } from '@millrace/jinja/data'
import { EXIT, type ExitCode, HostError } from '../../host/machine/exit-codes.ts'
import type { CommandContext } from '../support/command-context.ts'
import type { Output } from '../support/output.ts'
import { readHeader } from '../support/read-header.ts'
import { readText } from '../support/text-file.ts'
import { withHost } from '../support/with-host.ts'

export interface PaginateOptions {
  readonly config: string
  readonly url: string
  readonly header?: readonly string[]
  readonly method: string
  readonly whenInDoubt: string
}

/**
 * Reads a list to its end, and prints each record as a line of JSON on stdout and the progress on stderr. Exits with 1
 * if the list is incomplete.
 */
export async function paginate(
  { config, output, readerGone }: CommandContext,
  options: PaginateOptions,
): Promise<ExitCode> {
  const body = bodyOf(options)
  return withHost(config, async (host) => {
    for await (const event of host.stream(testPaginationRoute, readerGone, { body })) {
      if (event.type === 'failed') {
        output.failure(event.error.code, event.error.message, event.error)
        return EXIT.failed
      }
      report(event, output)
    }
    return EXIT.ok
  })
}

function report(event: PaginationEvent, output: Output): void {
  switch (event.type) {
    case 'records':
      for (const record of event.records) writeLine(record, output)
      break
    case 'response':
      output.progress({ text: `Page ${event.page + 1}, ${event.total_records} records` })
      break
    case 'output':
      writeLine(event.value, output)
      break
    case 'done':
      output.note(
        `${event.total_records} records on ${event.pages} pages; stop reason: ${event.stop_reason}; complete: ${IN_WORDS[String(event.complete)]}`,
      )
      break
    case 'warning':
      output.warning(
        { warning: event.code, message: event.message, in_doubt: event.in_doubt === true },
        `${event.in_doubt ? 'In doubt' : 'Warning'}: ${event.message}`,
      )
      break
    default:
  }
}

const IN_WORDS: Readonly<Record<string, string>> = { true: 'yes', false: 'no', in_doubt: 'in doubt' }

function writeLine(value: unknown, output: Output): void {
  output.text(writeJson(value as Data))
}

function bodyOf({ config, url, header = [], method, whenInDoubt }: PaginateOptions) {
  if (!WHEN_IN_DOUBT.some((what) => what === whenInDoubt)) {
    const wanted = WHEN_IN_DOUBT.join(' or ')
    throw new HostError(EXIT.usage, `--when-in-doubt is "${whenInDoubt}", but must be ${wanted}`)
  }
  const address = readAddress(url)
  const query: Record<string, unknown> = {}
  for (const name of new Set(address.searchParams.keys())) {
    const values = address.searchParams.getAll(name)
    query[name] = values.length === 1 ? values[0] : values
  }
  const parsed = paginationTestBody.safeParse({
    request: {
      // As in an HTTP step, the configuration's own endpoints are relative to the folder of the URL.
      base_url: new URL('.', `${address.origin}${address.pathname}`).href,
      endpoint: `${address.origin}${address.pathname}`,
      method: method.toUpperCase(),
      query,
      headers: Object.fromEntries(header.map(readHeader)),
      supports_automatic_pagination: true,
    },
    pagination_config: readConfig(config),
    when_in_doubt: whenInDoubt,
  })
  if (parsed.success) return parsed.data
  throw new HostError(EXIT.usage, parsed.error.issues[0]?.message ?? "The request can't be sent")
}

function readAddress(url: string): URL {
  const address = URL.parse(url)
  if (address?.protocol === 'http:' || address?.protocol === 'https:') return address
  throw new HostError(EXIT.usage, `--url is "${url}", but must be a URL that begins with https:// or http://`)
}

function readConfig(file: string): unknown {
  try {
    return parseJson(readText(file))
  } catch (error) {
    if (!(error instanceof JsonError)) throw error
    throw new HostError(EXIT.usage, `${file} is not JSON: ${error.message}`)
  }
}
