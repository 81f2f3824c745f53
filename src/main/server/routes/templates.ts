import {
  completionsRoute,
  previewTemplateRoute,
  renderTemplateRoute,
} from '../../../shared/contract/templates.ts'
import type { Services } from '../../services/index.ts'
import type { App } from '../mount/app.ts'
import { mountRoute } from '../mount/mount-route.ts'

export function mountTemplates(app: App, { templates }: Pick<Services, 'templates'>): void {
  mountRoute(
    app,
    renderTemplateRoute,
    ({ caller, body }) => templates.render(caller, body) as Promise<{ output: never }>,
  )
  mountRoute(app, completionsRoute, ({ caller, query }) => templates.complete(caller, query))
  mountRoute(app, previewTemplateRoute, ({ caller, body }) => templates.preview(caller, body))
}
