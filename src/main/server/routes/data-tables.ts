import {
  createDataTableRoute,
  deleteDataRowsRoute,
  deleteDataTableRoute,
  exportDataRowsRoute,
  importDataRowsRoute,
  insertDataRowsRoute,
  listDataRowsRoute,
  listDataTablesRoute,
  readDataTableRoute,
  updateDataRowsRoute,
  updateDataTableRoute,
  upsertDataRowsRoute,
} from '../../../shared/contract/data/data-tables.ts'
import type { Services } from '../../services/index.ts'
import type { App } from '../mount/app.ts'
import { mountRoute } from '../mount/mount-route.ts'
import { reply } from '../answer/reply.ts'
import { replyKeyedPage, replyPage } from '../answer/reply-list.ts'

export function mountDataTables(app: App, { dataTables: tables }: Pick<Services, 'dataTables'>): void {
  mountRoute(app, createDataTableRoute, ({ body }) => tables.create(body))
  mountRoute(app, listDataTablesRoute, ({ query, request }) => replyPage(request, tables.list(query)))
  mountRoute(app, readDataTableRoute, ({ params }) => tables.read(params.id))
  mountRoute(app, updateDataTableRoute, ({ params, body }) => tables.update(params.id, body))
  mountRoute(app, deleteDataTableRoute, ({ params }) => tables.remove(params.id))
  mountRoute(app, listDataRowsRoute, ({ params, query, request }) =>
    replyKeyedPage(request, tables.rows(params.id, query)),
  )
  mountRoute(app, insertDataRowsRoute, ({ params, body }) => tables.insert(params.id, body.rows))
  mountRoute(app, upsertDataRowsRoute, ({ params, body }) => tables.upsert(params.id, body.rows, body.key))
  mountRoute(app, updateDataRowsRoute, ({ params, query, body }) =>
    tables.updateRows(params.id, query.filter, body.values),
  )
  mountRoute(app, deleteDataRowsRoute, ({ params, query }) => tables.deleteRows(params.id, query.filter))
  mountRoute(app, importDataRowsRoute, ({ params, body }) => tables.importRows(params.id, body))
  mountRoute(app, exportDataRowsRoute, async ({ params, query }) =>
    reply(200, await tables.exportRows(params.id, query.format), {
      'content-type': TEXT_TYPES[query.format],
    }),
  )
}

const TEXT_TYPES = { csv: 'text/csv; charset=utf-8', jsonl: 'application/x-ndjson; charset=utf-8' } as const
