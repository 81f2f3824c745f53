import { trimEnd } from '../../shared/trim.ts'
import { useStore } from 'zustand'
import { createStore } from 'zustand/vanilla'

/** The public URL of the tunnel or the settings; null if there is none. */
const known = createStore<{ address: string | null }>(() => ({ address: null }))

export function setPublicAddress(address: string | null): void {
  known.setState({ address })
}

/** The public URL of the same resource; null if there is none. */
export function usePublicAddress(url: string): string | null {
  const address = useStore(known, (state) => state.address)
  if (address === null || !URL.canParse(url)) return null
  const { pathname, search } = new URL(url)
  return `${trimEnd(address, '/')}${pathname}${search}`
}

/** The URL if it is http, https or mailto, otherwise nothing, because a user's value must never run as a script. */
export function safeHref(value: string): string | undefined {
  try {
    return ['http:', 'https:', 'mailto:'].includes(new URL(value).protocol) ? value : undefined
  } catch {
    return undefined
  }
}
