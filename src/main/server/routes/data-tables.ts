import { dataTableRoutes } from '../../../shared/contract/data/data-tables.ts'
import type { Services } from '../../services/index.ts'
import type { App } from '../mount/app.ts'
import { mount } from '../mount/mount-route.ts'
import { reply } from '../answer/reply.ts'
import { replyKeyedPage, replyPage } from '../answer/reply-list.ts'

export function mountDataTables(app: App, { dataTables: tables }: Pick<Services, 'dataTables'>): void {
  mount(app, dataTableRoutes, {
    createDataTableRoute: ({ body }) => tables.create(body),
    listDataTablesRoute: ({ query, request }) => replyPage(request, tables.list(query)),
    readDataTableRoute: ({ params }) => tables.read(params.id),
    updateDataTableRoute: ({ params, body }) => tables.update(params.id, body),
    deleteDataTableRoute: ({ params }) => tables.remove(params.id),
    listDataRowsRoute: async ({ params, query, request }) =>
      replyKeyedPage(request, await tables.rows(params.id, query)),
    insertDataRowsRoute: ({ params, body }) => tables.insert(params.id, body.rows),
    upsertDataRowsRoute: ({ params, body }) => tables.upsert(params.id, body.rows, body.key),
    updateDataRowsRoute: ({ params, query, body }) => tables.updateRows(params.id, query.filter, body.values),
    deleteDataRowsRoute: ({ params, query }) => tables.deleteRows(params.id, query.filter),
    importDataRowsRoute: ({ params, body }) => tables.importRows(params.id, body),
    exportDataRowsRoute: async ({ params, query }) =>
      reply(200, await tables.exportRows(params.id, query.format), {
        'content-type': TEXT_TYPES[query.format],
      }),
  })
}

const TEXT_TYPES = { csv: 'text/csv; charset=utf-8', jsonl: 'application/x-ndjson; charset=utf-8' } as const
