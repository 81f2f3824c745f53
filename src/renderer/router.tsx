import {
  createRootRoute,
  createRoute,
  createRouter,
  lazyRouteComponent,
  redirect,
} from '@tanstack/react-router'
import { AUTH_STATES, AUTH_VISIBILITIES } from '../shared/contract/connector-auths.ts'
import { AUTH_TYPES } from '../shared/contract/connectors.ts'
import { FLOW_STATUSES } from '../shared/contract/flows.ts'
import { RUN_STATUSES, RUN_TRIGGERS } from '../shared/contract/flow-runs.ts'
import { loadScreen } from './api/load-screen.ts'
import { RESULT_TABS, STEP_TABS } from './components/runs/step-tabs.ts'
import { NotFound } from './features/shell/not-found.tsx'
import { ScreenFailure } from './features/shell/screen-failure.tsx'
import { Shell } from './features/shell/shell.tsx'
import { moment, oneOf, searchOf, SINCE, text } from './lib/search.ts'

function screen<M extends object, K extends keyof M & string>(load: () => Promise<M>, name: K) {
  return lazyRouteComponent(() => loadScreen(load), name)
}

const root = createRootRoute({
  component: Shell,
  notFoundComponent: NotFound,
})

const home = createRoute({
  getParentRoute: () => root,
  path: '/',
  component: screen(() => import('./features/home/home-page.tsx'), 'HomePage'),
})

const flows = createRoute({
  getParentRoute: () => root,
  path: '/flows',
  validateSearch: searchOf((search) => ({
    q: text(search.q),
    status: oneOf(search.status, FLOW_STATUSES),
    create: search.create === true ? true : undefined,
    start: text(search.start),
    import: search.import === true ? true : undefined,
  })),
  component: screen(() => import('./features/flows/list/flows-page.tsx'), 'FlowsPage'),
})

const flow = createRoute({
  getParentRoute: () => root,
  path: '/flows/$flowId',
  validateSearch: searchOf((search) => ({
    view: oneOf(search.view, ['steps', 'canvas', 'json', 'settings', 'versions', 'tests', 'activity']),
    step: text(search.step),
    field: text(search.field),
    run: text(search.run),
    tab: oneOf(search.tab, RESULT_TABS),
    test: search.test === true ? true : undefined,
  })),
  component: screen(() => import('./features/flows/editor/flow-page.tsx'), 'FlowPage'),
})

const runs = createRoute({
  getParentRoute: () => root,
  path: '/runs',
  validateSearch: searchOf((search) => ({
    status: oneOf(search.status, [...RUN_STATUSES, 'unfinished']),
    trigger: oneOf(search.trigger, RUN_TRIGGERS),
    flow: text(search.flow),
    since: oneOf(search.since, SINCE),
    from: moment(search.from),
    until: moment(search.until),
    text: text(search.text),
    causes: search.causes === true ? true : undefined,
    at: text(search.at),
    code: text(search.code),
    http: text(search.http),
    resolved: oneOf(search.resolved, ['true', 'false']),
  })),
  component: screen(() => import('./features/flow-runs/runs-page.tsx'), 'RunsPage'),
})

const run = createRoute({
  getParentRoute: () => root,
  path: '/runs/$runId',
  validateSearch: searchOf((search) => ({
    step: text(search.step),
    tab: oneOf(search.tab, STEP_TABS),
  })),
  component: screen(() => import('./features/flow-runs/run-page.tsx'), 'RunPage'),
})

const comparison = createRoute({
  getParentRoute: () => root,
  path: '/runs/$runId/compare',
  validateSearch: searchOf((search) => ({
    with: text(search.with),
    step: text(search.step),
  })),
  component: screen(() => import('./features/flow-runs/compare-page.tsx'), 'ComparePage'),
})

const webhooks = createRoute({
  getParentRoute: () => root,
  path: '/webhooks',
  validateSearch: searchOf((search) => ({
    flow: text(search.flow),
    show: oneOf(search.show, ['received', 'failed', 'refused', '2xx', '3xx', '4xx', '5xx']),
    content: oneOf(search.content, ['json', 'form', 'xml', 'text', 'none']),
    since: oneOf(search.since, SINCE),
    from: moment(search.from),
    until: moment(search.until),
    q: text(search.q),
    request: text(search.request),
    part: oneOf(search.part, ['body', 'answer', 'headers', 'replay', 'original']),
  })),
  component: screen(() => import('./features/webhooks/webhooks-page.tsx'), 'WebhooksPage'),
})

const connectors = createRoute({
  getParentRoute: () => root,
  path: '/connectors',
  validateSearch: searchOf((search) => ({
    q: text(search.q),
    create: search.create === true ? true : undefined,
    import: search.import === true ? true : undefined,
  })),
  component: screen(() => import('./features/connectors/connectors-page.tsx'), 'ConnectorsPage'),
})

const connector = createRoute({
  getParentRoute: () => root,
  path: '/connectors/$connectorId',
  validateSearch: searchOf((search) => ({
    view: oneOf(search.view, ['actions', 'connection', 'paging', 'about']),
    action: text(search.action),
    tab: oneOf(search.tab, ['edit', 'try', 'sends']),
  })),
  component: screen(() => import('./features/connectors/connector-page.tsx'), 'ConnectorPage'),
})

const auths = createRoute({
  getParentRoute: () => root,
  path: '/auths',
  validateSearch: searchOf((search) => ({
    q: text(search.q),
    connector: text(search.connector),
    type: oneOf(search.type, AUTH_TYPES),
    state: oneOf(search.state, AUTH_STATES),
    visible: oneOf(search.visible, AUTH_VISIBILITIES),
    tag: text(search.tag),
    create: search.create === true ? true : undefined,
  })),
  component: screen(() => import('./features/connector-auths/auths-page.tsx'), 'AuthsPage'),
})

const auth = createRoute({
  getParentRoute: () => root,
  path: '/auths/$authId',
  component: screen(() => import('./features/connector-auths/auth-page.tsx'), 'AuthPage'),
})

/** New auths are created in a sheet over the list. */
const newAuth = createRoute({
  getParentRoute: () => root,
  path: '/auths/new',
  validateSearch: searchOf((search) => ({ connector: text(search.connector) })),
  beforeLoad({ search }) {
    throw redirect({ to: '/auths', search: { ...search, create: true } })
  },
})

const tokens = createRoute({
  getParentRoute: () => root,
  path: '/tokens',
  validateSearch: searchOf((search) => ({
    create: search.create === true ? true : undefined,
    check: search.check === true ? true : undefined,
  })),
  component: screen(() => import('./features/tokens/tokens-page.tsx'), 'TokensPage'),
})

const users = createRoute({
  getParentRoute: () => root,
  path: '/users',
  validateSearch: searchOf((search) => ({
    view: oneOf(search.view, ['users', 'teams']),
    edit: text(search.edit),
  })),
  component: screen(() => import('./features/users/users-page.tsx'), 'UsersPage'),
})

const envVariables = createRoute({
  getParentRoute: () => root,
  path: '/env-variables',
  validateSearch: searchOf((search) => ({ q: text(search.q), edit: text(search.edit) })),
  component: screen(() => import('./features/env-variables/env-variables-page.tsx'), 'EnvVariablesPage'),
})

const dataTables = createRoute({
  getParentRoute: () => root,
  path: '/data-tables',
  validateSearch: searchOf((search) => ({
    q: text(search.q),
    create: search.create === true ? true : undefined,
  })),
  component: screen(() => import('./features/data-tables/data-tables-page.tsx'), 'DataTablesPage'),
})

const dataTable = createRoute({
  getParentRoute: () => root,
  path: '/data-tables/$tableId',
  component: screen(() => import('./features/data-tables/data-table-page.tsx'), 'DataTablePage'),
})

const files = createRoute({
  getParentRoute: () => root,
  path: '/files',
  validateSearch: searchOf((search) => ({ q: text(search.q), edit: text(search.edit) })),
  component: screen(() => import('./features/file-uploads/file-uploads-page.tsx'), 'FileUploadsPage'),
})

const pagination = createRoute({
  getParentRoute: () => root,
  path: '/pagination',
  validateSearch: searchOf((search) => ({
    connector: text(search.connector),
    action: text(search.action),
    for: oneOf(search.for, ['step', 'connector']),
  })),
  component: screen(() => import('./features/pagination-tests/pagination-page.tsx'), 'PaginationPage'),
})

const reference = createRoute({
  getParentRoute: () => root,
  path: '/reference',
  validateSearch: searchOf((search) => ({ q: text(search.q), op: text(search.op) })),
  component: screen(() => import('./features/reference/reference-page.tsx'), 'ReferencePage'),
})

const plugins = createRoute({
  getParentRoute: () => root,
  path: '/plugins',
  validateSearch: searchOf((search) => ({ plugin: text(search.plugin) })),
  component: screen(() => import('./features/plugins/plugins-page.tsx'), 'PluginsPage'),
})

const settings = createRoute({
  getParentRoute: () => root,
  path: '/settings',
  component: screen(() => import('./features/settings/settings-page.tsx'), 'SettingsPage'),
})

const doctor = createRoute({
  getParentRoute: () => root,
  path: '/doctor',
  component: screen(() => import('./features/doctor/doctor-page.tsx'), 'DoctorPage'),
})

const logs = createRoute({
  getParentRoute: () => root,
  path: '/logs',
  component: screen(() => import('./features/logs/logs-page.tsx'), 'LogsPage'),
})

const openLink = createRoute({
  getParentRoute: () => root,
  path: '/open-link',
  validateSearch: searchOf((search) => ({ flow: text(search.flow), import: text(search.import) })),
  component: screen(() => import('./features/open-link/open-link-page.tsx'), 'OpenLinkPage'),
})

const routeTree = root.addChildren([
  home,
  flows,
  flow,
  runs,
  run,
  comparison,
  webhooks,
  connectors,
  connector,
  auths,
  auth,
  newAuth,
  tokens,
  users,
  envVariables,
  dataTables,
  dataTable,
  files,
  pagination,
  reference,
  plugins,
  settings,
  doctor,
  logs,
  openLink,
])

export function createAppRouter() {
  return createRouter({
    routeTree,
    defaultPreload: 'intent',
    defaultErrorComponent: ScreenFailure,
    defaultPendingMs: 150,
    scrollRestoration: false,
  })
}

declare module '@tanstack/react-router' {
  interface Register {
    router: ReturnType<typeof createAppRouter>
  }
}
