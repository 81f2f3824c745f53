import type { Data } from '../engine/data/value.ts'
import type { Store } from '../store/index.ts'

/** Values that templates read by bare name. */
export interface Env {
  values(): Readonly<Record<string, Data>>
  /** Values of the secret ones, to be hidden wherever a run is shown. */
  secrets(): readonly string[]
}

export interface EnvOptions {
  readonly store: { readonly envVariables: Pick<Store['envVariables'], 'values'> }
  /** Null where the playground is off. */
  readonly playgroundUrl: () => string | null
}

/** The user's variables, and `playground_url`, which one of theirs may replace. */
export function createEnv({ store, playgroundUrl }: EnvOptions): Env {
  return {
    values() {
      const values: Record<string, Data> = Object.setPrototypeOf({ playground_url: playgroundUrl() }, null)
      for (const { name, value } of store.envVariables.values()) values[name] = value as Data
      return values
    },
    secrets: () =>
      store.envVariables
        .values()
        .filter(({ secret }) => secret)
        .map(({ value }) => (typeof value === 'string' ? value : JSON.stringify(value))),
  }
}
