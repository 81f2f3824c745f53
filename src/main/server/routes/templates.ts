import { templateRoutes } from '../../../shared/contract/templates.ts'
import type { Services } from '../../services/index.ts'
import type { App } from '../mount/app.ts'
import { mount } from '../mount/mount-route.ts'

export function mountTemplates(app: App, { templates }: Pick<Services, 'templates'>): void {
  mount(app, templateRoutes, {
    renderTemplateRoute: ({ caller, body }) => templates.render(caller, body) as Promise<{ output: never }>,
    completionsRoute: ({ caller, query }) => templates.complete(caller, query),
    previewTemplateRoute: ({ caller, body }) => templates.preview(caller, body),
  })
}
