import { useEffect, useState } from 'react'
import { type Flow, listFlowsRoute } from '../../../shared/contract/flows.ts'
import { listAll } from '../../api/list-all.ts'
import { useApi } from '../../api/provider.tsx'
import { t } from '../../lib/i18n.ts'
import { Combo } from '../controls/combo.tsx'

interface FlowSelectProps {
  readonly value: string | null
  readonly except?: string | undefined
  readonly onChange: (flowId: string | null) => void
}

export function FlowSelect({ value, except, onChange }: FlowSelectProps) {
  const api = useApi()
  const [flows, setFlows] = useState<readonly Pick<Flow, 'id' | 'name'>[]>([])
  useEffect(() => {
    // Without the list, the chosen flow keeps its ID as its name.
    listAll(api, listFlowsRoute, { sort: 'name' }).then(setFlows, () => undefined)
  }, [api])
  const named = flows.filter(({ id }) => id !== except).map(({ id, name }) => ({ value: id, label: name }))
  const isKnown = value === null || named.some((option) => option.value === value)
  return (
    <Combo
      value={value ?? NONE}
      onChange={(id) => onChange(id === NONE ? null : id)}
      options={[
        { value: NONE, label: t('No flow') },
        ...named,
        ...(isKnown ? [] : [{ value, label: value }]),
      ]}
    />
  )
}

const NONE = 'none'
