import { runStopRoutes } from '../../../shared/contract/reach/breakpoints.ts'
import { questionRoutes } from '../../../shared/contract/reach/questions.ts'
import { flowRunRoutes, flowRunControlRoutes } from '../../../shared/contract/flow-runs.ts'
import { runDebuggingRoutes } from '../../../shared/contract/run-debugging.ts'
import { flowSourceTestRoutes } from '../../../shared/contract/flow-files.ts'
import { flowTestRoutes } from '../../../shared/contract/flow-tests.ts'
import { flowStartRoutes } from '../../../shared/contract/flows.ts'
import type { Services } from '../../services/index.ts'
import { ofReachedFlows, reachesFlow } from '../../services/kit/caller.ts'
import { CALLING_RUN_HEADER } from '../../services/reaching/sending/own-api.ts'
import type { App } from '../mount/app.ts'
import { mount } from '../mount/mount-route.ts'
import { reply, SerializedJson } from '../answer/reply.ts'
import { replyKeyedPage, replyPage } from '../answer/reply-list.ts'

export function mountFlowRuns(
  app: App,
  {
    flowRuns,
    questions,
    breakpoints,
    flowTests,
    runDebugging,
    runReports,
    chosenRecords,
  }: Pick<
    Services,
    'breakpoints' | 'chosenRecords' | 'flowRuns' | 'flowTests' | 'questions' | 'runDebugging' | 'runReports'
  >,
): void {
  mount(app, runDebuggingRoutes, {
    // Comes before the path of a single run, which would match `replay`, `activity` and `failures` as its id.
    replayFlowRunsRoute: ({ caller, body }) => runDebugging.replayMany(caller, body),
    exportFlowRunRoute: ({ caller, params }) => runReports.report(caller, params.id),
    exportRunHarRoute: ({ params }) => runReports.har(params.id),
    compareFlowRunRoute({ caller, params, query }) {
      if (query.with !== undefined) chosenRecords.requireRun(caller, query.with)
      return runDebugging.compare(params.id, query.with)
    },
    rerunFlowRunRoute: ({ caller, params, body }) => runDebugging.rerun(caller, params.id, body),
    readRunResultsRoute: async ({ params }) => new SerializedJson(await runDebugging.resultsOf(params.id)),
  })
  mount(app, flowSourceTestRoutes, {
    runFlowTestsRoute: ({ caller, body }) => flowTests.run(caller, body),
  })
  mount(app, flowTestRoutes, {
    recordFlowTestRoute: ({ caller, params, body }) => flowTests.record(caller, params.id, body.name),
  })
  mount(app, flowRunRoutes, {
    resolveCauseRoute: ({ body: { note = '', ...cause } }) => flowRuns.resolveCause(cause, note),
    reopenCauseRoute: ({ body }) => flowRuns.reopenCause(body),
    listFlowActivityRoute: async ({ caller, query }) => {
      const activity = await flowRuns.activity(query.hours ?? 24)
      return activity.filter(({ flow_id: id }) => reachesFlow(caller, id))
    },
    listFailureCausesRoute: ({ caller, query }) => flowRuns.failureCauses(ofReachedFlows(caller, query)),
    listFlowRunsRoute: async ({ caller, query, request }) =>
      replyKeyedPage(request, await flowRuns.list(ofReachedFlows(caller, query))),
    readFlowRunRoute: ({ params }) => flowRuns.read(params.id),
    listRunStepsRoute: async ({ params, query, request }) =>
      replyKeyedPage(request, await flowRuns.stepsOf(params.id, query)),
    listRunOutcomesRoute: ({ params }) => flowRuns.outcomesOf(params.id),
    listStepRecordsRoute: ({ params, query, request }) =>
      replyPage(request, flowRuns.recordsOf(params.id, params.step_id, query)),
    listFlowRunStepsRoute: async ({ query, request }) =>
      replyKeyedPage(request, await flowRuns.listSteps(query)),
  })
  mount(app, questionRoutes, {
    listRunQuestionsRoute: ({ params }) => questions.openOf(params.id),
  })
  mount(app, runStopRoutes, {
    listRunStopsRoute: ({ params }) => breakpoints.stopsOf(params.id),
    decideRunStopRoute: ({ caller, params, body }) => breakpoints.decide(caller, params.id, body),
  })
  mount(app, flowRunControlRoutes, {
    cancelFlowRunRoute: ({ params }) => flowRuns.cancel(params.id),
    replayFlowRunRoute({ caller, params, body }) {
      if (body.version !== undefined)
        chosenRecords.requireUse(caller, flowRuns.read(params.id).flow_id, body.version)
      return flowRuns.replay(params.id, body)
    },
    resumeFlowRunRoute: ({ params }) => flowRuns.resume(params.id),
    resolveFlowRunRoute: ({ params, body }) => flowRuns.resolve(params.id, body.note ?? ''),
    reopenFlowRunRoute: ({ params }) => flowRuns.reopen(params.id),
    deleteFlowRunRoute: ({ params }) => flowRuns.remove(params.id),
  })

  mount(app, flowStartRoutes, {
    runFlowRoute: async ({ caller, params, query, body, request }) => {
      const { input = {}, working_copy: workingCopy, test: isTest, before, trigger, record } = body
      const wait = query.wait === 'true'
      const callingRun = request.get(CALLING_RUN_HEADER)
      const started = await flowRuns.startByHand(caller, params.id, {
        input,
        workingCopy,
        isTest,
        before,
        trigger,
        wait,
        callingRun,
        record,
      })
      return started.kind === 'ended' ? reply(200, started.run) : { flow_run_id: started.flow_run_id }
    },
    runStepRoute: ({ caller, params, body }) => flowRuns.runStep(caller, params.id, params.ref_id, body),
  })
}
