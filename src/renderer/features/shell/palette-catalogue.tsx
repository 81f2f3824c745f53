import { useNavigate } from '@tanstack/react-router'
import { useLayoutEffect } from 'react'
import { useStore } from 'zustand'
import { createFlowRoute } from '../../../shared/contract/flows.ts'
import { plantFlowSampleRoute } from '../../../shared/contract/flow-samples.ts'
import { PLUGINS } from '../../api/lists.ts'
import { useResource } from '../../api/resource.ts'
import { announceFailure } from '../../components/screen/toast.tsx'
import { additionOf, type Entry, isTrigger } from '../../components/services/catalogue.ts'
import { openFlow } from '../../components/services/open-flow.ts'
import { usePlantSample } from '../../components/services/plant-sample.ts'
import { ServiceMark } from '../../components/services/service-mark.tsx'
import { rememberEntry, useAuthsMeant, useCatalogue } from '../../components/services/use-catalogue.ts'
import { t } from '../../lib/i18n.ts'
import { BookOpen, Zap } from '../../lib/icons.tsx'
import { useSteady } from '../../lib/use-steady.ts'
import type { PaletteEntry } from './palette-entries.ts'

interface PaletteCatalogueProps {
  readonly typed: string
  readonly onFound: (entries: readonly PaletteEntry[]) => void
}

/**
 * Finds services, steps and samples as the list of a flow's editor does, with the same code, which is loaded with the
 * first search. Steps are added to the flow that is open.
 */
export function PaletteCatalogue({ typed, onFound }: PaletteCatalogueProps) {
  const { find } = useCatalogue(true, useResource(PLUGINS).data)
  const auths = useAuthsMeant(true)
  const flow = useStore(openFlow, (state) => state.flow)
  const navigate = useNavigate()
  const plant = usePlantSample()

  const steady = useSteady({
    report() {
      const found = typed.trim() === '' ? [] : find(typed)
      onFound(found.flatMap((entry) => entriesOf(entry)).slice(0, MOST))
    },
  })
  // oxlint-disable-next-line react/exhaustive-effect-dependencies -- it reports again once any of these changes
  useLayoutEffect(() => steady.report(), [steady, typed, find, auths, flow])

  function entriesOf(entry: Entry): readonly PaletteEntry[] {
    const { id, label } = entry
    if (entry.kind === 'service') return []
    if (entry.kind === 'sample')
      return [
        {
          id,
          group: 'samples',
          label,
          icon: BookOpen,
          needs: plantFlowSampleRoute,
          run: () =>
            void plant(entry.sample).catch((error: unknown) =>
              announceFailure(t('Couldn’t use sample'), error),
            ),
        },
      ]
    const looks =
      entry.kind === 'action'
        ? { icon: Zap, mark: <ServiceMark connector={entry.connector} />, detail: entry.connector.name }
        : { icon: entry.icon, ...(entry.kind === 'part' ? { detail: entry.plugin } : {}) }
    if (flow !== null) {
      if (isTrigger(entry) && !flow.isEmpty) return []
      const added = entry.kind === 'action' ? additionOf(entry, auths.get(entry.connector.id)) : entry.added
      const run = () => {
        rememberEntry(id)
        flow.add(added)
      }
      return [{ id: `add ${id}`, group: 'add', label, ...looks, run }]
    }
    if (entry.kind === 'action') {
      const { connector, action } = entry
      const run = () =>
        void navigate({
          to: '/connectors/$connectorId',
          params: { connectorId: connector.id },
          search: { view: 'actions', action: action.id },
        })
      return [{ id, group: 'actions', label, ...looks, run }]
    }
    if (entry.kind === 'part' || !isTrigger(entry)) return []
    const run = () => void navigate({ to: '/flows', search: { create: true, start: entry.added.type } })
    return [{ id, group: 'start', label, ...looks, needs: createFlowRoute, run }]
  }
  return null
}

const MOST = 40
