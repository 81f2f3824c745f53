import { writeJson } from '../engine/data/json.ts'
import { type Data, Float, isDictionary, isList, entriesOf } from '../engine/data/value.ts'
import type { Store } from '../store/index.ts'

/** Values that templates read by bare name. Every run asks for them, so they are read and decrypted once. */
export interface Env {
  values(): Readonly<Record<string, Data>>
  /** Values of the secret ones, and the texts inside them, to be hidden wherever a run is shown. */
  secrets(): readonly string[]
  /** To be called when a variable has changed, once that is committed. */
  forget(): void
}

export interface EnvOptions {
  readonly store: { readonly envVariables: Pick<Store['envVariables'], 'values'> }
  /** Null where the playground is off. */
  readonly playgroundUrl: () => string | null
  /** Where this program itself is served. */
  readonly ownUrl: () => string
}

interface Known {
  readonly playgroundUrl: string | null
  readonly ownUrl: string
  readonly values: Readonly<Record<string, Data>>
  readonly secrets: readonly string[]
}

/** The user's variables, and `playground_url` and `millrace_url`, which theirs may replace. */
export function createEnv({ store, playgroundUrl, ownUrl }: EnvOptions): Env {
  let known: Known | null = null

  function current(): Known {
    const url = playgroundUrl()
    const own = ownUrl()
    if (known === null || known.playgroundUrl !== url || known.ownUrl !== own) known = read(url, own)
    return known
  }

  function read(url: string | null, own: string): Known {
    const variables = store.envVariables.values() as readonly Variable[]
    const values: Record<string, Data> = Object.setPrototypeOf(
      { playground_url: url, millrace_url: own },
      null,
    )
    for (const { name, value } of variables) values[name] = value
    const secrets = variables.filter(({ secret }) => secret).flatMap(({ value }) => textsOf(value))
    return { playgroundUrl: url, ownUrl: own, values: Object.freeze(values), secrets }
  }

  return {
    values: () => current().values,
    secrets: () => current().secrets,
    forget() {
      known = null
    },
  }
}

interface Variable {
  readonly name: string
  readonly value: Data
  readonly secret: boolean
}

/** The value as a text, and each text and number in it: a template may print any of them alone. */
function textsOf(value: Data): string[] {
  if (typeof value === 'string') return [value]
  if (isList(value)) return [writeJson(value), ...value.flatMap(textsOf)]
  if (isDictionary(value)) return [writeJson(value), ...entriesOf(value).flatMap(([, part]) => textsOf(part))]
  const isNumber = typeof value === 'number' || typeof value === 'bigint' || value instanceof Float
  return isNumber ? [writeJson(value)] : []
}
