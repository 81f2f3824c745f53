import { type Data, dictionaryOf, entriesOf, isDictionary, isList } from '@millrace/jinja/data'
import type { Store } from '../../../store/index.ts'
import { textsOf } from '../secrets/texts-of.ts'

/** Values that templates read by bare name. Every run needs them, so they are read and decrypted only once. */
export type Env = ReturnType<typeof createEnv>

export interface EnvOptions {
  readonly store: { readonly envVariables: Pick<Store['envVariables'], 'values'> }
  /** Null if the playground is off. */
  readonly playgroundUrl: () => string | null
  /** The URL of this program itself. */
  readonly ownUrl: () => string
}

interface Known {
  readonly playgroundUrl: string | null
  readonly ownUrl: string
  readonly values: Readonly<Record<string, Data>>
  /** Values without the secret ones. */
  readonly open: Readonly<Record<string, Data>>
  readonly builtIn: Readonly<Record<string, Data>>
  readonly shown: Readonly<Record<string, Data>>
  readonly secrets: readonly string[]
}

/**
 * Names that every template can read and variables can't have: `millrace_url` decides where private tokens are sent.
 */
export const BUILT_IN_NAMES: readonly string[] = ['playground_url', 'millrace_url']

const PLAYGROUND = 'http://playground.invalid'
const MILLRACE = 'http://millrace.invalid'

/** The user's variables, and the built-in ones. */
export function createEnv({ store, playgroundUrl, ownUrl }: EnvOptions) {
  let known: Known | null = null

  function current(): Known {
    const url = playgroundUrl()
    const own = ownUrl()
    if (known === null || known.playgroundUrl !== url || known.ownUrl !== own) known = read(url, own)
    return known
  }

  function read(url: string | null, own: string): Known {
    const variables = store.envVariables.values() as readonly Variable[]
    const builtIn: Record<string, Data> = { playground_url: url, millrace_url: own }
    const values = withVariables(builtIn, variables, ({ value }) => value)
    const shown = withVariables(builtIn, variables, ({ value, secret }) => (secret ? hidden(value) : value))
    const open = withVariables(
      builtIn,
      variables.filter(({ secret }) => !secret),
      ({ value }) => value,
    )
    const secrets = variables.filter(({ secret }) => secret).flatMap(({ value }) => textsOf(value))
    return { playgroundUrl: url, ownUrl: own, values, open, builtIn, shown, secrets }
  }

  return {
    values: () => current().values,
    /**
     * The same for display: `***` replaces every string and number of a secret, so that no template can take it apart.
     * Leaves out the user's variables if the viewer can't read them.
     */
    shown: (withVariables: boolean) => (withVariables ? current().shown : current().builtIn),
    /** Values that a caller's calls can use; excludes secret ones if the caller can't read variables. */
    valuesFor: (withSecrets: boolean) => (withSecrets ? current().values : current().open),
    /** Names of secret variables, as currently stored. */
    secretNames: (): readonly string[] =>
      (store.envVariables.values() as readonly Variable[])
        .filter(({ secret }) => secret)
        .map(({ name }) => name),
    /**
     * The values currently stored, even in the middle of a change; `playground_url` and `millrace_url` are replaced by
     * URLs that stay the same across restarts.
     */
    forOrigins(): Readonly<Record<string, Data>> {
      const variables = store.envVariables.values() as readonly Variable[]
      return withVariables(
        { playground_url: PLAYGROUND, millrace_url: MILLRACE },
        variables,
        ({ value }) => value,
      )
    },
    /** The real URLs of `playground_url` and `millrace_url`, by the origin that they have in `forOrigins`. */
    builtInOrigins(): ReadonlyMap<string, string> {
      const url = playgroundUrl()
      const playground: [string, string][] = url === null ? [] : [[PLAYGROUND, new URL(url).origin]]
      return new Map([...playground, [MILLRACE, new URL(ownUrl()).origin]])
    },
    /** Secret values and the strings inside them, to be redacted wherever a run is shown. */
    secrets: () => current().secrets,
    /** Call after a change of a variable has been committed. */
    forget(): void {
      known = null
    },
  }
}

interface Variable {
  readonly name: string
  readonly value: Data
  readonly secret: boolean
}

function withVariables(
  builtIn: Readonly<Record<string, Data>>,
  variables: readonly Variable[],
  valueOf: (variable: Variable) => Data,
): Readonly<Record<string, Data>> {
  const values: Record<string, Data> = Object.setPrototypeOf({ ...builtIn }, null)
  // Skips names that an earlier version still accepted.
  for (const variable of variables)
    if (!BUILT_IN_NAMES.includes(variable.name)) values[variable.name] = valueOf(variable)
  return Object.freeze(values)
}

/** Lists and objects keep their structure, so that templates over them can be tried. */
function hidden(value: Data): Data {
  if (isList(value)) return value.map(hidden)
  if (isDictionary(value)) return dictionaryOf(entriesOf(value).map(([name, part]) => [name, hidden(part)]))
  return value === null || typeof value === 'boolean' ? value : '***'
}
