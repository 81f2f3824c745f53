import { useStore } from 'zustand'
import { createStore } from 'zustand/vanilla'
import { t } from '../../lib/i18n.ts'
import { Rows3, Rows4 } from '../../lib/icons.tsx'
import { recall, remember } from '../../lib/remembered.ts'
import { IconButton } from '../controls/button.tsx'

const density = createStore<{ readonly isCompact: boolean }>()(() => ({
  isCompact: recall('density') === 'compact',
}))

const ROW_PX = { comfortable: 36, compact: 28 } as const

/** The height of a row in every list, as chosen in this browser. */
export const useRowHeight = () => ROW_PX[useStore(density, isCompactIn) ? 'compact' : 'comfortable']

export function DensitySwitch() {
  const isCompact = useStore(density, isCompactIn)
  return (
    <IconButton
      label={t('Compact rows')}
      icon={isCompact ? Rows4 : Rows3}
      aria-pressed={isCompact}
      onClick={() => {
        density.setState({ isCompact: !isCompact })
        remember('density', isCompact ? 'comfortable' : 'compact')
      }}
    />
  )
}

const isCompactIn = ({ isCompact }: { readonly isCompact: boolean }) => isCompact
