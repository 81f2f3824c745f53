import { useStore } from 'zustand'
import { createStore } from 'zustand/vanilla'

/** Under which others reach the program, as the settings say; null where nobody does. */
const known = createStore<{ address: string | null }>(() => ({ address: null }))

export function setPublicAddress(address: string | null): void {
  known.setState({ address })
}

/** The address of the same thing from outside; null where there is none. */
export function usePublicAddress(url: string): string | null {
  const address = useStore(known, (state) => state.address)
  if (address === null || !URL.canParse(url)) return null
  const { pathname, search } = new URL(url)
  return `${address.replace(/\/+$/, '')}${pathname}${search}`
}
