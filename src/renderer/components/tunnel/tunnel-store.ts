import { createStore } from 'zustand/vanilla'
import {
  readTunnelRoute,
  startTunnelRoute,
  stopTunnelRoute,
  updateTunnelRoute,
} from '../../../shared/contract/reach/tunnel.ts'
import type { Tunnel, TunnelChange } from '../../../shared/contract/reach/tunnel.ts'
import type { Api } from '../../api/create-api.ts'
import { followNouns } from '../../api/follow.ts'
import { createStoreHook } from '../../api/provider.tsx'

interface TunnelState {
  /** Null until it is known. */
  readonly tunnel: Tunnel | null
  readonly opened: () => () => void
  /** Turns it on, with changed settings if there are any. */
  readonly started: (change?: TunnelChange) => Promise<void>
  readonly stopped: () => Promise<void>
  readonly changed: (change: TunnelChange) => Promise<void>
}

export function createTunnelStore(api: Pick<Api, 'call' | 'live'>) {
  return createStore<TunnelState>()((set) => {
    const load = async () => {
      await api.call(readTunnelRoute).then(
        (tunnel) => set({ tunnel }),
        () => undefined, // The status bar already says that the program doesn't respond.
      )
    }
    return {
      tunnel: null,
      opened: followNouns(api, ['tunnel', 'flow'], load),
      async started(change = {}) {
        set({ tunnel: await api.call(startTunnelRoute, { body: change }) })
      },
      async stopped() {
        set({ tunnel: await api.call(stopTunnelRoute) })
      },
      async changed(change) {
        set({ tunnel: await api.call(updateTunnelRoute, { body: change }) })
      },
    }
  })
}

export const useTunnel = createStoreHook(createTunnelStore)
