import { useFlowsByName } from '../../api/lists.ts'
import { t } from '../../lib/i18n.ts'
import { Combo } from '../controls/combo.tsx'

interface FlowSelectProps {
  readonly value: string | null
  readonly except?: string | undefined
  readonly onChange: (flowId: string | null) => void
}

export function FlowSelect({ value, except, onChange }: FlowSelectProps) {
  const flows = useFlowsByName()
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
