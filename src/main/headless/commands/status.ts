import { listFlowActivityRoute, listFlowRunsRoute } from '../../../shared/contract/flow-runs.ts'
import { metaRoute } from '../../../shared/contract/host.ts'
import { EXIT, type ExitCode } from '../../host/machine/exit-codes.ts'
import type { CommandContext } from '../support/command-context.ts'
import { listAllFlows, MOST_A_PAGE } from '../support/find-record.ts'
import { findRunningHost } from '../support/with-host.ts'

/** Shows where Millrace runs and the state of its flows. Exits with 1 if it isn't running. */
export async function showStatus({ config, output }: CommandContext): Promise<ExitCode> {
  const { dataDir } = config
  const host = await findRunningHost(dataDir)
  if (host === null) {
    output.answer(
      { running: false, data_dir: dataDir },
      `Millrace isn't running with the data folder ${dataDir}`,
    )
    return EXIT.failed
  }
  const unended = 'status,in,queued,running,retrying'
  const [meta, flows, current, activity] = await Promise.all([
    host.call(metaRoute),
    listAllFlows(host),
    host.call(listFlowRunsRoute, { query: { filter: [unended], per_page: String(MOST_A_PAGE) } }),
    host.call(listFlowActivityRoute, { query: { hours: '24' } }),
  ])
  const hours = activity.flatMap((one) => one.hours)
  const sum = (pick: 'success' | 'error') => hours.reduce((total, hour) => total + hour[pick], 0)
  const count = (status: string) => flows.filter((flow) => flow.status === status).length
  const status = {
    running: true,
    url: host.url,
    public_url: meta.public_url,
    version: meta.version,
    started_at: meta.started_at,
    playground_url: meta.playground_url,
    data_dir: dataDir,
    flows: { active: count('active'), draft: count('draft'), paused: count('paused') },
    runs: { unended: current.length, last_24_hours: { success: sum('success'), error: sum('error') } },
  }
  const { active, draft, paused } = status.flows
  output.answer(
    status,
    [
      `Millrace ${meta.version} has been running at ${host.url} since ${meta.started_at}`,
      `Public URL: ${meta.public_url ?? 'none'}`,
      `Data folder: ${dataDir}`,
      `Flows: ${active} active, ${draft} draft, ${paused} paused`,
      `Runs: ${current.length === MOST_A_PAGE ? `${MOST_A_PAGE} or more` : current.length} in progress; in the last 24 hours, ${sum('success')} succeeded and ${sum('error')} failed`,
    ].join('\n'),
  )
  return EXIT.ok
}
