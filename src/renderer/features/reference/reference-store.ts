import { createStore } from 'zustand/vanilla'
import type { AppError } from '../../../shared/contract/base/errors.ts'
import { openapiRoute } from '../../../shared/contract/host.ts'
import type { NamedSchemas } from '../../../shared/contract/base/json-schema.ts'
import type { Api } from '../../api/create-api.ts'
import { asAppError } from '../../api/failure.ts'
import { createStoreHook } from '../../api/provider.tsx'
import { endpointsOf, type ApiDescription, type Endpoint } from './endpoints.ts'

interface ReferenceState {
  readonly endpoints: readonly Endpoint[] | null
  /** Those that an endpoint's schema refers to, by name. */
  readonly schemas: NamedSchemas
  readonly failure: AppError | null
  readonly opened: () => Promise<void>
}

export function createReferenceStore(api: Pick<Api, 'call'>) {
  return createStore<ReferenceState>()((set, get) => ({
    endpoints: null,
    schemas: {},
    failure: null,
    async opened() {
      if (get().endpoints !== null) return
      try {
        // The contract only says that it is an OpenAPI document; ours always has these parts.
        const description = (await api.call(openapiRoute)) as unknown as ApiDescription
        set({
          endpoints: endpointsOf(description),
          schemas: description.components.schemas,
          failure: null,
        })
      } catch (error) {
        set({ failure: asAppError(error) })
      }
    },
  }))
}

export const useReference = createStoreHook(createReferenceStore)
