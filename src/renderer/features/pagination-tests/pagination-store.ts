import { createStore } from 'zustand/vanilla'
import { listConnectorAuthsRoute } from '../../../shared/contract/connector-auths.ts'
import type { ConnectorAuth } from '../../../shared/contract/connector-auths.ts'
import { listActionsRoute, listConnectorsRoute } from '../../../shared/contract/connectors.ts'
import type { Action, Connector } from '../../../shared/contract/connectors.ts'
import type { AppError } from '../../../shared/contract/errors.ts'
import { testPaginationRoute } from '../../../shared/contract/pagination.ts'
import type { PaginationTestBody } from '../../../shared/contract/pagination.ts'
import type { Api } from '../../api/create-api.ts'
import { asAppError, isAbort } from '../../api/failure.ts'
import { createStoreHook } from '../../api/provider.tsx'
import { applyPageEvent, IDLE } from './progress.ts'
import type { Progress } from './progress.ts'
import { EMPTY_FORM, toBody } from './test-form.ts'
import type { TestForm } from './test-form.ts'

interface PaginationState {
  readonly form: TestForm
  readonly connectors: readonly Connector[]
  readonly actions: readonly Action[]
  readonly auths: readonly ConnectorAuth[]
  readonly progress: Progress
  /** Why the test did not even begin, or broke off. */
  readonly failure: AppError | null
  readonly opened: (connectorId: string | undefined, action: string | undefined) => Promise<void>
  readonly changed: (patch: Partial<TestForm>) => void
  /** Its actions are read, and its own configuration is taken over. */
  readonly connectorChosen: (connectorId: string, action?: string) => Promise<void>
  readonly started: () => Promise<void>
  readonly cancelled: () => void
}

/** Events arrive faster than a screen can be drawn; they are folded as they come and shown at most so often. */
const SHOW_EVERY_MS = 60

export function createPaginationStore(
  api: Pick<Api, 'call' | 'stream'>,
  now: () => number = () => performance.now(),
) {
  return createStore<PaginationState>()((set, get) => {
    let running: AbortController | null = null

    async function readActions(connectorId: string): Promise<readonly Action[]> {
      const query = { filter: `connector_id,eq,${connectorId}`, per_page: '200', sort: 'title' }
      return await api.call(listActionsRoute, { query })
    }

    async function run(body: PaginationTestBody, signal: AbortSignal) {
      let progress: Progress = { ...IDLE, status: 'running' }
      let shownAt = now()
      for await (const event of api.stream(testPaginationRoute, { body }, signal)) {
        progress = applyPageEvent(progress, event)
        if (now() - shownAt < SHOW_EVERY_MS) continue
        shownAt = now()
        set({ progress })
      }
      set({ progress })
    }

    return {
      form: EMPTY_FORM,
      connectors: [],
      actions: [],
      auths: [],
      progress: IDLE,
      failure: null,
      async opened(connectorId, action) {
        try {
          const [connectors, auths] = await Promise.all([
            api.call(listConnectorsRoute, { query: { sort: 'name' } }),
            api.call(listConnectorAuthsRoute, {}),
          ])
          set({ connectors, auths, failure: null })
          const { form } = get()
          const wanted = connectorId ?? (form.connectorId === '' ? firstToTry(connectors)?.id : undefined)
          if (wanted !== undefined && (wanted !== form.connectorId || action !== undefined))
            await get().connectorChosen(wanted, action)
        } catch (error) {
          set({ failure: asAppError(error) })
        }
      },
      changed: (patch) => set(({ form }) => ({ form: { ...form, ...patch } })),
      async connectorChosen(connectorId, action) {
        const config = get().connectors.find((one) => one.id === connectorId)?.pagination_config ?? null
        set(({ form }) => ({
          actions: [],
          form: { ...form, connectorId, action: action ?? '', authId: '', config: config ?? form.config },
        }))
        const actions = await readActions(connectorId).catch(() => [])
        if (get().form.connectorId !== connectorId) return
        const first = actions.find((one) => one.supports_automatic_pagination) ?? actions[0]
        set(({ form }) => ({
          actions,
          form: form.action === '' && first !== undefined ? { ...form, action: first.name } : form,
        }))
      },
      async started() {
        running?.abort()
        const controller = new AbortController()
        running = controller
        set({ progress: { ...IDLE, status: 'running' }, failure: null })
        try {
          await run(toBody(get().form), controller.signal)
        } catch (error) {
          if (isAbort(error)) set(({ progress }) => ({ progress: { ...progress, status: 'cancelled' } }))
          else
            set(({ progress }) => ({
              progress: { ...progress, status: 'failed' },
              failure: asAppError(error),
            }))
        } finally {
          if (running === controller) running = null
        }
      },
      cancelled: () => running?.abort(),
    }
  })
}

export const usePagination = createStoreHook(createPaginationStore)

/** The playground runs on this computer, so that a first test works without a network and without credentials. */
function firstToTry(connectors: readonly Connector[]): Connector | undefined {
  const paged = connectors.filter((connector) => connector.pagination_config !== null)
  return paged.find((connector) => connector.base_domain.includes('playground_url')) ?? paged[0]
}
