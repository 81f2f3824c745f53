/** Tries pagination, and searches the documentation. */
import { z } from 'zod'
import { json, jsonObject, text } from '../../../shared/contract/base/common.ts'
import { can } from '../../../shared/contract/base/route.ts'
import { parseInput } from '../../../shared/contract/base/validate.ts'
import { paginationTestBody, suggestPaginationRoute } from '../../../shared/contract/pagination.ts'
import { defineTool, type ToolCall, ToolFailure } from './tool.ts'

const MOST_PAGES = 100
const SHOWN_RECORDS = 20
const SHOWN_SECTIONS = 5
const SECTION_CHARACTERS = 6_000

const tryPagination = defineTool({
  name: 'try_pagination',
  title: 'Try pagination',
  description:
    'Reads pages of a list from an API with a pagination configuration, and returns the requests, the first records and why it ended. Search the documentation for "pagination" to write a configuration.',
  access: can('connectors', 'create'),
  readsOnly: true,
  input: z.strictObject({
    request: z
      .strictObject({
        base_url: text(4_000).describe('Base URL, such as https://api.example.com.'),
        endpoint: text(4_000).describe('Path that is appended to it.'),
        method: text(20).optional().describe('HTTP method. Default: GET.'),
        query: jsonObject.optional().describe('Query parameters by name.'),
        headers: jsonObject.optional().describe('Request headers by name.'),
        body: json.optional().describe('Request body, sent as JSON.'),
      })
      .optional()
      .describe("The request of the first page. Defaults to that of a connector's action."),
    connector_id: text(200).optional().describe('ID of a connector, instead of `request`.'),
    action: text(100).optional().describe('Name of the action of that connector.'),
    input: jsonObject.optional().describe("Values of the action's form fields."),
    auth_id: text(200).optional().describe('ID of the connector auth whose credentials are sent.'),
    pagination_config: json
      .optional()
      .describe("The configuration to try: an object, or a list of them. Defaults to the connector's own."),
    max_pages: z.int().min(1).max(MOST_PAGES).default(3).describe('Stop after this many pages.'),
  }),
  run: (call, input) => readPages(call, input),
})

interface PageSummary {
  readonly page: number
  readonly method: string
  readonly url: string
  status?: number
  records?: number
}

async function readPages({ services, caller, signal, progress }: ToolCall, input: object): Promise<object> {
  const body = parseInput(paginationTestBody, input, 'arguments')
  const pages: PageSummary[] = []
  const warnings: { readonly code: string; readonly message: string }[] = []
  const records: unknown[] = []
  for await (const event of services.paginationTests.run(caller, body, signal)) {
    switch (event.type) {
      case 'request':
        pages.push({ page: event.page, method: event.method, url: event.url })
        break
      case 'response': {
        const page = pages.at(-1)
        if (page !== undefined) Object.assign(page, { status: event.status, records: event.records })
        progress?.(`Page ${event.page + 1}: ${event.records} records`)
        break
      }
      case 'warning':
        warnings.push({
          code: event.code,
          message: event.message,
          ...(event.in_doubt ? { in_doubt: true } : {}),
        })
        break
      case 'records':
        records.push(...event.records.slice(0, SHOWN_RECORDS - records.length))
        break
      case 'output':
        return { pages, output: event.value, warnings }
      case 'done': {
        const { total_records, stop_reason, complete } = event
        return { pages, total_records, stop_reason, complete, warnings, first_records: records }
      }
      case 'failed':
        throw new ToolFailure(event.error.message, {
          error: event.error,
          pages,
          warnings,
          first_records: records,
        })
      default:
    }
  }
  throw new ToolFailure('The test was cancelled', { pages })
}

const suggestPagination = defineTool({
  name: 'suggest_pagination',
  title: 'Suggest pagination',
  description:
    'Suggests pagination configurations from one response of an API and the request that fetched it, and tries their second page if it is given a probe.',
  access: suggestPaginationRoute.access,
  readsOnly: true,
  input: suggestPaginationRoute.body,
  run: ({ services, caller }, body) => services.paginationTests.suggest(caller, body),
})

const searchDocs = defineTool({
  name: 'search_docs',
  title: 'Search the documentation',
  description:
    'Searches the documentation of Millrace: step types, templates, pagination, connectors, webhooks, the API, and how-tos.',
  access: 'any-token',
  readsOnly: true,
  input: z.strictObject({
    query: text(500).describe('Words to find, such as "pagination cursor". Few words find more.'),
    skip: z.int().min(0).default(0).describe(`Sections to skip; ${SHOWN_SECTIONS} are returned.`),
  }),
  run({ services }, { query, skip }) {
    const found = services.docs.search(query)
    const shown = found.slice(skip, skip + SHOWN_SECTIONS)
    return {
      found: found.length,
      sections: shown.map(({ doc, docTitle, heading, text: content }) => ({
        document: doc,
        title: docTitle,
        heading,
        text: content.length > SECTION_CHARACTERS ? `${content.slice(0, SECTION_CHARACTERS)} …` : content,
      })),
    }
  },
})

export const OTHER_TOOLS = [tryPagination, suggestPagination, searchDocs]
