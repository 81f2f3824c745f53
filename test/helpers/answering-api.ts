import type { Api } from '../../src/renderer/api/create-api.ts'
import { createDeletions } from '../../src/renderer/api/deletions.ts'
import { createLive } from '../../src/renderer/api/live.ts'
import type { LiveEvent } from '../../src/shared/contract/host.ts'
import type { Route, StreamRoute } from '../../src/shared/contract/base/route.ts'

interface AskedInput {
  readonly params: Record<string, string>
  readonly query: Record<string, string | string[]>
  readonly body: unknown
}

/** `GET /v1/flows/:id` → its response; a function receives what was sent, and can throw. */
export type Answers = Readonly<Record<string, unknown>>

/**
 * An API whose responses are given by the test, for stores that are tested without a page. A call to anything else
 * fails by name. `emit` sends a live change; `asked` has the calls, in order.
 */
export function answeringApi(answers: Answers) {
  const asked: string[] = []
  const listeners = new Set<(event: LiveEvent) => void>()
  const stream: Api['stream'] = async function* (route, input) {
    yield* (await answer(route, input)) as never[]
  }

  /** `never` fits every route, because a test provides what the route would return. */
  async function answer(route: Route | StreamRoute, input: unknown): Promise<never> {
    const name = `${route.method} ${route.path}`
    asked.push(name)
    await Promise.resolve()
    if (!Object.hasOwn(answers, name)) throw new Error(`The test has no answer for ${name}`)
    const given = answers[name]
    if (typeof given !== 'function') return given as never
    const { params = {}, query = {}, body } = (input ?? {}) as Partial<AskedInput>
    return (given as (asked: AskedInput) => never)({ params, query, body })
  }

  const calls: ReturnType<Api['as']> = {
    call: answer,
    async list(route, input) {
      const given: unknown = await answer(route, input)
      // This fits every route, as above.
      return (Array.isArray(given) ? { items: given, total: given.length, after: null } : given) as never
    },
    stream,
    callLast(route, input) {
      void answer(route, input)
      return true
    },
    upload: answer,
    download: answer,
  }
  const api: Api = {
    ...calls,
    as: () => calls,
    actingAs: () => null,
    actAs: (userId) => asked.push(`act as ${userId}`),
    moveTo: (url) => asked.push(`move to ${url}`),
    remote: null,
    may: () => true,
    deletions: createDeletions(calls),
    live: {
      ...createLive(stream),
      subscribe(nouns, listener) {
        const heard = (event: LiveEvent) => {
          if (event.noun === null || nouns.includes(event.noun)) listener(event)
        }
        listeners.add(heard)
        return () => listeners.delete(heard)
      },
    },
  }
  const emit = (event: LiveEvent) => {
    for (const listener of listeners) listener(event)
  }
  return { api, asked, emit }
}

/** Resolves once the store's state is as expected; otherwise the test's own timeout ends it. */
export async function until<S>(
  store: { getState: () => S; subscribe: (listener: (state: S) => void) => () => void },
  isSo: (state: S) => boolean,
): Promise<S> {
  if (isSo(store.getState())) return store.getState()
  return await new Promise((resolve) => {
    const stop = store.subscribe((state) => {
      if (!isSo(state)) return
      stop()
      resolve(state)
    })
  })
}
