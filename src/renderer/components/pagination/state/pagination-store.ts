import { createStore } from 'zustand/vanilla'
import type { ConnectorAuth } from '../../../../shared/contract/connector-auths.ts'
import type { Action, Connector } from '../../../../shared/contract/connectors.ts'
import type { AppError } from '../../../../shared/contract/base/errors.ts'
import {
  checkPaginationRoute,
  continuePaginationTestRoute,
  testPaginationRoute,
} from '../../../../shared/contract/pagination.ts'
import type { ConfigProblem, PaginationTestBody } from '../../../../shared/contract/pagination.ts'
import type { Api } from '../../../api/create-api.ts'
import { asAppError, isAbort } from '../../../api/failure.ts'
import { actionsOf, CONNECTOR_AUTHS, CONNECTORS } from '../../../api/lists.ts'
import { createStoreHook } from '../../../api/provider.tsx'
import { cached, type Resource, useResource } from '../../../api/resource.ts'
import { readConfigText, writeConfig } from './config-text.ts'
import { applyTestEvent, NO_TEST } from './test-progress.ts'
import type { TestProgress } from './test-progress.ts'
import { saveConfig } from './save-config.ts'
import type { SaveWish } from './save-config.ts'
import { checkSuggestions, findSuggestions } from './find-suggestions.ts'
import type { Found } from './find-suggestions.ts'
import { EMPTY_FORM, missingIn, toBody, toCall } from './test-form.ts'
import type { TestForm } from './test-form.ts'

/**
 * `run` reads all pages, `step` pauses after each, and `dry` reads the first one and shows what the second would be.
 */
export type Mode = 'run' | 'step' | 'dry'

interface PaginationState {
  readonly form: TestForm
  /** Problems that the server finds in the configuration while it is typed. */
  readonly problems: readonly ConfigProblem[]
  readonly mode: Mode
  readonly progress: TestProgress
  /** Milliseconds of `performance.now`; null before the first test. */
  readonly startedAt: number | null
  /** Null while a test runs, and before the first one. */
  readonly endedAt: number | null
  /** The tested call and configuration, which may have changed since. */
  readonly ran: { readonly call: string; readonly configText: string } | null
  /** Why the test didn't start, or was interrupted. */
  readonly failure: AppError | null
  /** The selected page; null follows the newest. */
  readonly chosen: number | null
  readonly suggesting: boolean
  readonly found: Found | null
  /** Why suggesting automatically failed. */
  readonly unfound: AppError | null
  readonly opened: (connectorId: string | undefined, action: string | undefined) => Promise<void>
  /** Fills the form from elsewhere, clears what earlier tests left, and suggests a configuration if there is none. */
  readonly prepared: (form: Partial<TestForm>) => void
  readonly changed: (patch: Partial<TestForm>) => void
  /** Leaving a connector also removes its own configuration; returning restores it. */
  readonly sourceChosen: (source: TestForm['source']) => void
  /** Loads its actions, applies its own configuration, and suggests one if it has none. */
  readonly connectorChosen: (connectorId: string, action?: string) => Promise<void>
  /** @param names of the input, which templates can also use */
  readonly checked: (configText: string, names: readonly string[]) => Promise<void>
  readonly started: (mode: Mode) => Promise<void>
  /** Lets a paused test read that many more pages, null for all; 0 pauses a running one. */
  readonly continued: (pages: number | null) => Promise<void>
  readonly cancelled: () => void
  readonly pageChosen: (page: number | null) => void
  /** @param isAsked false if nobody asked, so that a failure isn't reported as that of the test */
  readonly suggested: (isAsked?: boolean) => Promise<void>
  /** Sends one request for each suggestion. */
  readonly suggestionsChecked: () => Promise<void>
  readonly saved: (wish: SaveWish) => Promise<Connector>
}

/** Events arrive faster than a screen can be drawn; they are merged and shown at most this often. */
const SHOW_EVERY_MS = 60

export function createPaginationStore(
  api: Pick<Api, 'call' | 'list' | 'live' | 'stream'>,
  now: () => number = () => performance.now(),
) {
  return createStore<PaginationState>()((set, get) => {
    let running: AbortController | null = null

    const known = async <T>(list: Resource<T>) =>
      cached(api, list).getState().data ?? (await cached(api, list).read())

    /** The actions of the call's connector, if they are known. */
    function knownActions(): readonly Action[] {
      const { form } = get()
      return form.unsaved?.actions ?? cached(api, actionsOf(form.connectorId)).getState().data ?? []
    }

    /** Only for a call that reads and needs no input, because nobody pressed a button. */
    async function suggestIfNone() {
      const { source, connectorId, authId } = get().form
      if (source === 'connector' && connectorId !== '' && authId === '') {
        const auths = await known(CONNECTOR_AUTHS).catch(() => [])
        if (get().form.connectorId === connectorId) get().changed({ authId: onlyAuthOf(auths, connectorId) })
      }
      const { form, suggested } = get()
      const call = form.source === 'address' ? form : knownActions().find(({ name }) => name === form.action)
      const isRead = call?.method === 'GET' && !/\{\{\s*input\b/.test(call.endpoint)
      const isPaging = form.q === null && form.configText.trim() === ''
      if (isRead && isPaging && missingIn(form) === null) await suggested(false)
    }

    async function run(body: PaginationTestBody, signal: AbortSignal) {
      let progress: TestProgress = { ...NO_TEST, status: 'running' }
      let shownAt = now()
      const show = () => {
        shownAt = now()
        set({ progress })
      }
      // Held-back events are shown when nothing more arrives, because a wait must be visible while it lasts.
      let late: ReturnType<typeof setTimeout> | undefined
      try {
        for await (const event of api.stream(testPaginationRoute, { body }, signal)) {
          progress = applyTestEvent(progress, event, now())
          clearTimeout(late)
          if (now() - shownAt >= SHOW_EVERY_MS) show()
          else late = setTimeout(show, SHOW_EVERY_MS)
        }
      } finally {
        clearTimeout(late)
        show()
      }
    }

    return {
      form: EMPTY_FORM,
      problems: [],
      mode: 'run',
      progress: NO_TEST,
      startedAt: null,
      endedAt: null,
      ran: null,
      failure: null,
      chosen: null,
      suggesting: false,
      found: null,
      unfound: null,
      async opened(connectorId, action) {
        try {
          const connectors = await cached(api, CONNECTORS).read()
          set({ failure: null })
          const { form } = get()
          const wanted = connectorId ?? (form.connectorId === '' ? firstToTry(connectors)?.id : undefined)
          const isNew = wanted !== form.connectorId || (action !== undefined && action !== form.action)
          if (wanted !== undefined && isNew) await get().connectorChosen(wanted, action)
        } catch (error) {
          set({ failure: asAppError(error) })
        }
      },
      prepared(given) {
        running?.abort()
        const form = { ...EMPTY_FORM, ...given }
        set({ form, problems: [], progress: NO_TEST, startedAt: null, endedAt: null })
        set({ ran: null, failure: null, chosen: null, found: null, unfound: null })
        void suggestIfNone()
      },
      changed: (patch) => set(({ form }) => ({ form: { ...form, ...patch } })),
      sourceChosen(source) {
        const { form, changed } = get()
        const connectors = cached(api, CONNECTORS).getState().data ?? []
        const own = writeConfig(
          connectors.find(({ id }) => id === form.connectorId)?.pagination_config ?? null,
        )
        const [left, next] = source === 'address' ? [own, ''] : ['', own]
        // The two sources have different auths.
        changed({
          source,
          authId: '',
          ...(form.configText.trim() === left.trim() ? { configText: next } : {}),
        })
        set({ found: null, unfound: null })
      },
      async connectorChosen(connectorId, action) {
        const [connectors, allAuths] = await Promise.all([known(CONNECTORS), known(CONNECTOR_AUTHS)])
        const configOf = (id: string) => connectors.find((one) => one.id === id)?.pagination_config ?? null
        const config = configOf(connectorId)
        set(({ form }) => ({
          found: null,
          unfound: null,
          form: {
            ...form,
            source: 'connector',
            connectorId,
            action: action ?? '',
            authId: onlyAuthOf(allAuths, connectorId),
            input: {},
            unsaved: null,
            configText:
              config === null && form.configText !== writeConfig(configOf(form.connectorId))
                ? form.configText
                : writeConfig(config),
          },
        }))
        const actions = await cached(api, actionsOf(connectorId))
          .read()
          .catch(() => [])
        if (get().form.connectorId !== connectorId) return
        const first = actions.find((one) => one.supports_automatic_pagination) ?? actions[0]
        set(({ form }) => ({
          form: form.action === '' && first !== undefined ? { ...form, action: first.name } : form,
        }))
        void suggestIfNone()
      },
      async checked(configText, names) {
        const read = readConfigText(configText)
        if (!('value' in read) || read.value === null) return set({ problems: [] })
        const body = { pagination_config: read.value, input_names: [...names] }
        // The check only gives advice: without it, the test still runs and reports its own errors.
        const { problems } = await api.call(checkPaginationRoute, { body }).catch(() => ({ problems: [] }))
        if (get().form.configText === configText) set({ problems })
      },
      async started(mode) {
        running?.abort()
        const controller = new AbortController()
        running = controller
        const { form } = get()
        set({
          mode,
          progress: { ...NO_TEST, status: 'running' },
          startedAt: now(),
          endedAt: null,
          ran: { call: JSON.stringify(toCall(form)), configText: form.configText },
          failure: null,
          chosen: mode === 'dry' ? 1 : null,
        })
        try {
          const body: PaginationTestBody = {
            ...toBody(form),
            ...(mode === 'dry' ? { max_pages: 1 } : {}),
            include: ['plan', 'body'],
            pause_after: mode === 'step' ? 1 : null,
          }
          await run(body, controller.signal)
        } catch (error) {
          if (running !== controller) return
          if (isAbort(error)) set(({ progress }) => ({ progress: { ...progress, status: 'cancelled' } }))
          else
            set(({ progress }) => ({
              progress: { ...progress, status: 'failed' },
              failure: asAppError(error),
            }))
        } finally {
          if (running === controller) {
            running = null
            set({ endedAt: now() })
          }
        }
      },
      async continued(pages) {
        const { id } = get().progress
        if (id === null) return
        try {
          await api.call(continuePaginationTestRoute, { params: { id }, body: { pages } })
        } catch (error) {
          set({ failure: asAppError(error) })
        }
      },
      cancelled: () => running?.abort(),
      pageChosen: (chosen) => set({ chosen }),
      async suggested(isAsked = true) {
        const { form, progress, ran } = get()
        set({ suggesting: true, found: null, unfound: null, ...(isAsked ? { failure: null } : {}) })
        try {
          const known = ran?.call === JSON.stringify(toCall(form)) ? (progress.pages[0] ?? null) : null
          const found = await findSuggestions(api, form, knownActions(), known)
          // The call was changed in the meantime.
          if (JSON.stringify(toCall(get().form)) !== JSON.stringify(toCall(form))) return
          set({ found })
          const [best] = found.suggestions
          const isEmpty = get().form.configText.trim() === ''
          // If the suggestion had to be applied by a button, a list would silently end after its first page.
          if (isEmpty && best !== undefined && best.confidence !== 'low')
            get().changed({ configText: writeConfig(best.config) })
        } catch (error) {
          set({ [isAsked ? 'failure' : 'unfound']: asAppError(error) })
        } finally {
          set({ suggesting: false })
        }
      },
      async suggestionsChecked() {
        const { form, found } = get()
        if (found === null) return
        set({ suggesting: true, failure: null })
        try {
          set({ found: await checkSuggestions(api, form, found) })
        } catch (error) {
          set({ failure: asAppError(error) })
        } finally {
          set({ suggesting: false })
        }
      },
      async saved(wish) {
        const { form } = get()
        const connectors = cached(api, CONNECTORS).getState().data
        const connector = connectors?.find((one) => one.id === form.connectorId) ?? null
        const action = knownActions().find((one) => one.name === form.action) ?? null
        const saved = await saveConfig(api, wish, { form, connector, action })
        await cached(api, CONNECTORS).read()
        const { configText, input } = form
        // The auths of a built-in connector don't belong to its copy.
        const authId = saved.id === form.connectorId ? form.authId : ''
        const name = form.source === 'connector' ? form.action : undefined
        await get().connectorChosen(saved.id, name)
        set((state) => ({
          form: {
            ...state.form,
            input,
            authId,
            configText: wish.scope === 'action' ? state.form.configText : configText,
          },
        }))
        return saved
      },
    }
  })
}

export const usePagination = createStoreHook(createPaginationStore)

/** The connector of the call; null if it has none. */
export function useCallConnector(): Connector | null {
  const { source, connectorId } = usePagination((state) => state.form)
  const { data: connectors } = useResource(CONNECTORS)
  return source === 'connector' ? (connectors?.find(({ id }) => id === connectorId) ?? null) : null
}

/** The actions that can be called; none until they are read. */
export function useCallActions(): readonly Action[] {
  const { source, connectorId, unsaved } = usePagination((state) => state.form)
  const isSaved = source === 'connector' && connectorId !== '' && !unsaved?.actions
  const { data } = useResource(isSaved ? actionsOf(connectorId) : null)
  return unsaved?.actions ?? data ?? NO_ACTIONS
}

const NO_ACTIONS: readonly Action[] = []

/** If there is only one auth, it is the one that anybody would choose. */
function onlyAuthOf(auths: readonly ConnectorAuth[], connectorId: string): string {
  const [auth, another] = auths.filter((one) => one.connector_id === connectorId)
  return another === undefined ? (auth?.id ?? '') : ''
}

/** The playground runs on this computer, so that a first test works without a network and without credentials. */
function firstToTry(connectors: readonly Connector[]): Connector | undefined {
  const paged = connectors.filter((connector) => connector.pagination_config !== null)
  return paged.find((connector) => connector.base_domain.includes('playground_url')) ?? paged[0]
}
