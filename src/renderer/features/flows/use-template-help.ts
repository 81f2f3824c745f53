import { useMemo } from 'react'
import type { TemplateHelp } from '../../components/code/template-help.ts'
import type { TemplatePlace } from './state/assist-store.ts'
import { useStores } from './state/editor-context.tsx'
import type { Stores } from './state/editor-context.tsx'
import { readableScope } from './state/step-values.ts'

const NO_STEPS = [] as const

/** What the editor of one template asks; it reads the stores when it is asked, so that no field is drawn for a run. */
export function useTemplateHelp(id: string, { refId, field, kind, bare }: TemplatePlace): TemplateHelp {
  const stores = useStores()
  return useMemo(
    () => ({
      bare,
      entries: () => stores.assist.getState().entries,
      scope: () => scopeOf(stores, refId, field),
      inspect: (text) => stores.assist.getState().inspected(id, text, { refId, field, kind, bare }),
    }),
    [stores, id, refId, field, kind, bare],
  )
}

function scopeOf({ editor, panel, assist }: Stores, refId: string, field: string) {
  const { steps: records, alone, pins } = panel.getState()
  const { source, described } = assist.getState()
  const steps = editor.getState().history?.present.steps ?? NO_STEPS
  return readableScope(
    steps,
    { refId, field },
    { records, alone, pins, source },
    described[`${refId}|${field}`],
  )
}
