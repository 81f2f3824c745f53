import {
  checkFlowRoute,
  createFlowRoute,
  deleteFlowRoute,
  listFlowsRoute,
  listFlowVersionsRoute,
  readFlowRoute,
  readWorkingCopyRoute,
  previewScheduleRoute,
  readScheduleRoute,
  restoreFlowVersionRoute,
  updateFlowVersionRoute,
  rotateWebhookTokenRoute,
  updateFlowRoute,
  updateWorkingCopyRoute,
} from '../../../shared/contract/flows.ts'
import {
  exportFlowRoute,
  importFlowRoute,
  listFlowSourcesRoute,
  planFlowImportRoute,
  pushFlowSourceRoute,
} from '../../../shared/contract/flow-files.ts'
import {
  checkFlowTriggerRoute,
  readFlowTriggerRoute,
  restartFlowTriggerRoute,
  retryFlowTriggerRoute,
} from '../../../shared/contract/reach/flow-trigger.ts'
import type { Services } from '../../services/index.ts'
import type { App } from '../mount/app.ts'
import { mountRoute } from '../mount/mount-route.ts'
import { replyPage } from '../answer/reply-list.ts'

export function mountFlows(
  app: App,
  {
    flows,
    flowFiles,
    flowSources,
    scheduler,
    triggers,
  }: Pick<Services, 'flows' | 'flowFiles' | 'flowSources' | 'scheduler' | 'triggers'>,
): void {
  mountRoute(app, planFlowImportRoute, ({ caller, body }) => flowFiles.plan(caller, body))
  mountRoute(app, importFlowRoute, ({ caller, body }) => flowFiles.make(caller, body))
  mountRoute(app, exportFlowRoute, ({ caller, params }) => flowFiles.export(caller, params.id))
  mountRoute(app, listFlowSourcesRoute, ({ caller, query, request }) =>
    replyPage(request, flowSources.list(caller, query)),
  )
  mountRoute(app, pushFlowSourceRoute, ({ caller, body }) => flowSources.push(caller, body))
  mountRoute(app, createFlowRoute, ({ caller, query, body }) =>
    flows.create(caller, body, { imported: query.import === 'true' }),
  )
  mountRoute(app, listFlowsRoute, ({ caller, query, request }) =>
    replyPage(request, flows.list(caller, query)),
  )
  mountRoute(app, readFlowRoute, ({ caller, params }) => flows.read(caller, params.id))
  mountRoute(app, updateFlowRoute, ({ caller, params, body }) => flows.update(caller, params.id, body))
  mountRoute(app, deleteFlowRoute, ({ params }) => flows.remove(params.id))
  mountRoute(app, rotateWebhookTokenRoute, ({ caller, params }) =>
    flows.rotateWebhookToken(caller, params.id),
  )

  mountRoute(app, readScheduleRoute, ({ params }) => scheduler.read(params.id))
  mountRoute(app, readFlowTriggerRoute, ({ params }) => triggers.read(params.id))
  mountRoute(app, checkFlowTriggerRoute, ({ params }) => triggers.check(params.id))
  mountRoute(app, restartFlowTriggerRoute, ({ params }) => triggers.restart(params.id))
  mountRoute(app, retryFlowTriggerRoute, ({ params }) => triggers.retry(params.id))
  mountRoute(app, previewScheduleRoute, ({ params, body }) => scheduler.preview(params.id, body.config))
  mountRoute(app, listFlowVersionsRoute, ({ params, query, request }) =>
    replyPage(request, flows.listVersions(params.id, query)),
  )
  mountRoute(app, updateFlowVersionRoute, ({ params, body }) =>
    flows.nameVersion(params.id, params.version, body.name),
  )
  mountRoute(app, restoreFlowVersionRoute, ({ caller, params }) =>
    flows.restoreVersion(caller, params.id, params.version),
  )

  mountRoute(app, readWorkingCopyRoute, ({ params }) => flows.readWorkingCopy(params.id))
  mountRoute(app, updateWorkingCopyRoute, ({ caller, params, body }) =>
    flows.updateWorkingCopy(caller, params.id, body.steps),
  )
  mountRoute(app, checkFlowRoute, ({ caller, params, body }) => flows.check(caller, params.id, body.steps))
}
