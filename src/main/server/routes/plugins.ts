import { pluginRoutes } from '../../../shared/contract/plugins/plugins.ts'
import type { Services } from '../../services/index.ts'
import type { App } from '../mount/app.ts'
import { mount } from '../mount/mount-route.ts'

export function mountPlugins(app: App, { plugins }: Pick<Services, 'plugins'>): void {
  mount(app, pluginRoutes, {
    listPluginsRoute: () => plugins.list(),
    addPluginRoute: ({ caller, body }) => plugins.add(caller, body),
    readPluginRoute: ({ params }) => plugins.read(params.name),
    confirmPluginRoute: ({ caller, params, body }) => plugins.confirm(caller, params.name, body.hash),
    removePluginRoute: ({ caller, params }) => plugins.remove(caller, params.name),
  })
}
