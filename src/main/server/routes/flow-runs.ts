import { listRunQuestionsRoute } from '../../../shared/contract/reach/questions.ts'
import {
  cancelFlowRunRoute,
  deleteFlowRunRoute,
  listFailureCausesRoute,
  listFlowActivityRoute,
  listFlowRunsRoute,
  listFlowRunStepsRoute,
  listRunOutcomesRoute,
  listRunStepsRoute,
  listStepRecordsRoute,
  readFlowRunRoute,
  replayFlowRunRoute,
  resumeFlowRunRoute,
} from '../../../shared/contract/flow-runs.ts'
import {
  compareFlowRunRoute,
  exportFlowRunRoute,
  exportRunHarRoute,
  readRunResultsRoute,
  replayFlowRunsRoute,
  rerunFlowRunRoute,
} from '../../../shared/contract/run-debugging.ts'
import { runFlowRoute, runStepRoute } from '../../../shared/contract/flows.ts'
import type { Services } from '../../services/index.ts'
import { CALLING_RUN_HEADER } from '../../services/calls/own-api.ts'
import type { App } from '../mount/app.ts'
import { mountRoute } from '../mount/mount-route.ts'
import { reply, SerializedJson } from '../answer/reply.ts'
import { replyKeyedPage, replyPage } from '../answer/reply-list.ts'

export function mountFlowRuns(
  app: App,
  {
    flowRuns,
    questions,
    runDebugging,
    runReports,
  }: Pick<Services, 'flowRuns' | 'questions' | 'runDebugging' | 'runReports'>,
): void {
  // Before the path of a single run, which would match `replay`, `activity` and `failures` as its id.
  mountRoute(app, replayFlowRunsRoute, ({ body }) => runDebugging.replayMany(body))
  mountRoute(app, listFlowActivityRoute, ({ query }) => flowRuns.activity(query.hours ?? 24))
  mountRoute(app, listFailureCausesRoute, ({ query }) => flowRuns.failureCauses(query))
  mountRoute(app, listFlowRunsRoute, ({ query, request }) => replyKeyedPage(request, flowRuns.list(query)))
  mountRoute(app, readFlowRunRoute, ({ params }) => flowRuns.read(params.id))
  mountRoute(app, listRunStepsRoute, ({ params, query, request }) =>
    replyKeyedPage(request, flowRuns.stepsOf(params.id, query)),
  )
  mountRoute(app, exportFlowRunRoute, ({ caller, params }) => runReports.report(caller, params.id))
  mountRoute(app, exportRunHarRoute, ({ params }) => runReports.har(params.id))
  mountRoute(app, listRunOutcomesRoute, ({ params }) => flowRuns.outcomesOf(params.id))
  mountRoute(app, listStepRecordsRoute, ({ params, query, request }) =>
    replyPage(request, flowRuns.recordsOf(params.id, params.step_id, query)),
  )
  mountRoute(app, listFlowRunStepsRoute, ({ query, request }) =>
    replyKeyedPage(request, flowRuns.listSteps(query)),
  )
  mountRoute(app, listRunQuestionsRoute, ({ params }) => questions.openOf(params.id))
  mountRoute(app, cancelFlowRunRoute, ({ params }) => flowRuns.cancel(params.id))
  mountRoute(app, replayFlowRunRoute, ({ params, body }) => flowRuns.replay(params.id, body))
  mountRoute(app, resumeFlowRunRoute, ({ params }) => flowRuns.resume(params.id))
  mountRoute(app, compareFlowRunRoute, ({ params, query }) => runDebugging.compare(params.id, query.with))
  mountRoute(app, rerunFlowRunRoute, ({ caller, params, body }) =>
    runDebugging.rerun(caller, params.id, body),
  )
  mountRoute(
    app,
    readRunResultsRoute,
    async ({ params }) => new SerializedJson(await runDebugging.resultsOf(params.id)),
  )
  mountRoute(app, deleteFlowRunRoute, ({ params }) => flowRuns.remove(params.id))

  mountRoute(app, runFlowRoute, async ({ caller, params, query, body, request }) => {
    const { input = {}, working_copy: workingCopy, test: isTest, before } = body
    const wait = query.wait === 'true'
    const callingRun = request.get(CALLING_RUN_HEADER)
    const started = await flowRuns.startByHand(caller, params.id, {
      input,
      workingCopy,
      isTest,
      before,
      wait,
      callingRun,
    })
    return started.kind === 'ended' ? reply(200, started.run) : { flow_run_id: started.flow_run_id }
  })
  mountRoute(app, runStepRoute, ({ caller, params, body }) =>
    flowRuns.runStep(caller, params.id, params.ref_id, body),
  )
}
