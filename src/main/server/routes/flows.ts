import { flowSampleRoutes } from '../../../shared/contract/flow-samples.ts'
import { breakpointRoutes } from '../../../shared/contract/reach/breakpoints.ts'
import { storedTestRoutes } from '../../../shared/contract/flow-tests.ts'
import { stepPinRoutes } from '../../../shared/contract/step-pins.ts'
import { flowRoutes, flowVersionRoutes } from '../../../shared/contract/flows.ts'
import { flowFileRoutes } from '../../../shared/contract/flow-files.ts'
import { flowTriggerRoutes } from '../../../shared/contract/reach/flow-trigger.ts'
import { flowReachRoutes } from '../../../shared/contract/reach/flow-reach.ts'
import { forwardRoutes } from '../../../shared/contract/reach/forwards.ts'
import type { Services } from '../../services/index.ts'
import type { App } from '../mount/app.ts'
import { mount } from '../mount/mount-route.ts'
import { replyPage } from '../answer/reply-list.ts'

export function mountFlows(
  app: App,
  {
    flows,
    flowFiles,
    flowReach,
    flowSources,
    scheduler,
    triggers,
    stepPins,
    breakpoints,
    flowSamples,
    forwards,
    storedTests,
  }: Pick<
    Services,
    | 'flows'
    | 'flowFiles'
    | 'flowReach'
    | 'flowSources'
    | 'scheduler'
    | 'triggers'
    | 'stepPins'
    | 'breakpoints'
    | 'flowSamples'
    | 'forwards'
    | 'storedTests'
  >,
): void {
  mount(app, flowFileRoutes, {
    planFlowImportRoute: ({ caller, body }) => flowFiles.plan(caller, body),
    importFlowRoute: ({ caller, body }) => flowFiles.make(caller, body),
    exportFlowRoute: ({ caller, params }) => flowFiles.export(caller, params.id),
    listFlowSourcesRoute: ({ caller, query, request }) => replyPage(request, flowSources.list(caller, query)),
    checkFlowSourceRoute: ({ caller, body }) => flowSources.check(caller, body.source),
    readFlowSchemaRoute: () => flowSources.schema(),
    pushFlowSourceRoute: ({ caller, body }) => flowSources.push(caller, body),
  })
  mount(app, flowRoutes, {
    createFlowRoute: ({ caller, query, body }) =>
      flows.create(caller, body, { imported: query.import === 'true' }),
    listFlowsRoute: ({ caller, query, request }) => replyPage(request, flows.list(caller, query)),
    readFlowRoute: ({ caller, params }) => flows.read(caller, params.id),
    updateFlowRoute: ({ caller, params, body }) => flows.update(caller, params.id, body),
    deleteFlowRoute: ({ params }) => flows.remove(params.id),
    rotateWebhookTokenRoute: ({ caller, params }) => flows.rotateWebhookToken(caller, params.id),
    readScheduleRoute: ({ params, query }) => scheduler.read(params.id, query.ref_id),
    previewScheduleRoute: ({ params, body }) => scheduler.preview(params.id, body.config),
  })

  mount(app, flowTriggerRoutes, {
    readFlowTriggerRoute: ({ params, query }) => triggers.read(params.id, query.ref_id),
    checkFlowTriggerRoute: ({ params, query }) => triggers.check(params.id, query.ref_id),
    restartFlowTriggerRoute: ({ params, query }) => triggers.restart(params.id, query.ref_id),
    retryFlowTriggerRoute: ({ params, query }) => triggers.retry(params.id, query.ref_id),
  })
  mount(app, flowVersionRoutes, {
    listFlowVersionsRoute: ({ params, query, request }) =>
      replyPage(request, flows.listVersions(params.id, query)),
    updateFlowVersionRoute: ({ params, body }) => flows.nameVersion(params.id, params.version, body.name),
    restoreFlowVersionRoute: ({ caller, params }) => flows.restoreVersion(caller, params.id, params.version),
    readWorkingCopyRoute: ({ params }) => flows.readWorkingCopy(params.id),
    updateWorkingCopyRoute: ({ caller, params, body }) =>
      flows.updateWorkingCopy(caller, params.id, body.steps),
    checkFlowRoute: ({ caller, params, body }) => flows.check(caller, params.id, body.steps),
  })
  mount(app, flowReachRoutes, {
    readFlowReachRoute: ({ caller, params }) => flowReach.read(caller, params.id),
  })
  mount(app, stepPinRoutes, {
    listStepPinsRoute: ({ params }) => [...stepPins.list(params.id)],
    pinStepRoute: ({ caller, params, body }) => stepPins.pin(caller, params.id, params.ref_id, body),
    unpinStepRoute: ({ params }) => stepPins.unpin(params.id, params.ref_id),
  })
  mount(app, storedTestRoutes, {
    runStoredTestsRoute: ({ caller, params, body }) => storedTests.run(caller, params.id, body),
    listStoredTestsRoute: ({ params }) => [...storedTests.list(params.id)],
    createStoredTestRoute: ({ params, body }) => storedTests.create(params.id, body.test),
    readStoredTestRoute: ({ params }) => storedTests.read(params.id, params.name),
    updateStoredTestRoute: ({ params, body }) => storedTests.replace(params.id, params.name, body.test),
    deleteStoredTestRoute: ({ params }) => storedTests.remove(params.id, params.name),
    acceptStoredTestRoute: ({ caller, params, body }) =>
      storedTests.accept(caller, params.id, params.name, body.version),
  })
  mount(app, breakpointRoutes, {
    listBreakpointsRoute: ({ params }) => [...breakpoints.list(params.id)],
    setBreakpointRoute: ({ params, body }) => breakpoints.set(params.id, params.ref_id, body),
    removeBreakpointRoute: ({ params }) => breakpoints.remove(params.id, params.ref_id),
  })
  mount(app, forwardRoutes, {
    readForwardRoute: ({ params }) => forwards.read(params.id),
    updateForwardRoute: ({ params, body }) => forwards.save(params.id, body),
    deleteForwardRoute: async ({ params }) => void (await forwards.save(params.id, null)),
  })
  mount(app, flowSampleRoutes, {
    listFlowSamplesRoute: () => [...flowSamples.list()],
    plantFlowSampleRoute: ({ caller, params }) => flowSamples.plant(caller, params.id),
  })
}
