import { settingsRoutes } from '../../../shared/contract/settings.ts'
import type { Services } from '../../services/index.ts'
import { ofReachedFlows } from '../../services/kit/caller.ts'
import type { App } from '../mount/app.ts'
import { mount } from '../mount/mount-route.ts'
import { portRoutes } from '../../../shared/contract/reach/port.ts'
import { tunnelRoutes } from '../../../shared/contract/reach/tunnel.ts'
import { dataFolderRoutes } from '../../../shared/contract/data-folder.ts'
import { doctorRoutes } from '../../../shared/contract/doctor.ts'
import { figureRoutes } from '../../../shared/contract/figures/figures.ts'
import { logRoutes } from '../../../shared/contract/logs.ts'
import { alarmRoutes } from '../../../shared/contract/alarms.ts'

/** Routes about Millrace itself. */
export function mountProgram(
  app: App,
  {
    settings,
    port,
    tunnel,
    dataFolder,
    doctor,
    logs,
    calls,
    alarms,
    figures,
    chosenRecords,
  }: Pick<
    Services,
    | 'settings'
    | 'port'
    | 'tunnel'
    | 'dataFolder'
    | 'doctor'
    | 'logs'
    | 'calls'
    | 'alarms'
    | 'figures'
    | 'chosenRecords'
  >,
): void {
  mount(app, settingsRoutes, {
    readSettingsRoute: () => settings.current(),
    updateSettingsRoute: ({ body, caller }) => settings.update(body, caller),
  })
  mount(app, portRoutes, {
    readPortRoute: () => port.read(),
    changePortRoute: ({ body }) => port.change(body.port),
  })
  mount(app, tunnelRoutes, {
    readTunnelRoute: () => tunnel.read(),
    updateTunnelRoute: ({ body }) => tunnel.change(body),
    startTunnelRoute: ({ body }) => tunnel.start(body),
    stopTunnelRoute: () => tunnel.stop(),
  })
  mount(app, dataFolderRoutes, {
    readDataFolderRoute: () => dataFolder.read(),
    writeBackupRoute: ({ body }) => dataFolder.backUp(body),
    restoreBackupRoute: ({ body }) => dataFolder.restore(body),
    exportDataKeysRoute: () => dataFolder.exportKeys(),
    importDataKeysRoute: ({ body }) => dataFolder.importKeys(body.keys),
  })
  mount(app, doctorRoutes, {
    examineRoute: () => doctor.examine(),
  })
  mount(app, logRoutes, {
    listLogsRoute: ({ query }) => logs.list(query),
    listCallsRoute: async ({ query }) => ({ entries: await calls.list(query) }),
  })
  mount(app, figureRoutes, {
    readFiguresRoute({ caller, query }) {
      if (query.flow_id !== undefined) chosenRecords.requireFlow(caller, query.flow_id)
      return figures.read(caller, query.flow_id === undefined ? ofReachedFlows(caller, query) : query)
    },
  })
  mount(app, alarmRoutes, {
    testAlarmsRoute: ({ body }) => alarms.testAll(body.flow_id),
    listAlarmsRoute: () => alarms.receivers.list(),
    createAlarmRoute: ({ body }) => alarms.receivers.create(body),
    readAlarmRoute: ({ params }) => alarms.receivers.read(params.id),
    updateAlarmRoute: ({ params, body }) => alarms.receivers.update(params.id, body),
    deleteAlarmRoute: ({ params }) => alarms.receivers.remove(params.id),
    testAlarmRoute: ({ params }) => alarms.receivers.test(params.id),
  })
}
