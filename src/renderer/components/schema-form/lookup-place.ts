import { createContext, type ReactNode, use } from 'react'
import type { Json } from '../../../shared/contract/base/common.ts'
import type { Connector } from '../../../shared/contract/connectors.ts'

/** Names of chosen records, by field and ID. */
export type ChosenNames = Readonly<Record<string, Readonly<Record<string, string>>>>

/** The form that contains look-up fields, and the values entered in it. */
export interface LookupPlace {
  readonly connector: Connector
  /** The name of the action whose form it is. */
  readonly action: string
  /** The connector auth to read the choices with; null if none is chosen, undefined if each run chooses its own. */
  readonly authId: string | null | undefined
  /** All values entered, because some choices depend on others. */
  readonly input: Readonly<Record<string, Json>>
  readonly names: ChosenNames
  /** Keeps the names for a field's values, before the values change. */
  readonly keep: (field: string, names: Readonly<Record<string, string>>) => void
  /** A button that fixes credentials that the API rejected. */
  readonly mendAuth: (authId: string) => ReactNode
  /** The look-up of a field whose saved configuration differs from the one on the screen. */
  readonly unsaved?: (field: string) => Readonly<Record<string, Json>> | undefined
}

const LookupContext = createContext<LookupPlace | null>(null)

export const LookupPlaceProvider = LookupContext.Provider

/** Null in a form without a connector to ask, where an ID is typed. */
export function useLookupPlace(): LookupPlace | null {
  return use(LookupContext)
}
