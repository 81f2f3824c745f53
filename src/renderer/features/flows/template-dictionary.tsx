import { DictionaryField } from '../../components/controls/dictionary-field.tsx'
import { TemplateInput } from './fields/template-input.tsx'

interface TemplateDictionaryProps {
  readonly refId: string
  readonly label: string
  /** What one entry is: `header`. */
  readonly noun: string
  readonly hint?: string
  readonly error?: string | undefined
  readonly value: Readonly<Record<string, unknown>>
  readonly onChange: (value: Record<string, unknown>) => void
  /** The values are JSON: a number, a list … beside plain text. */
  readonly typed?: boolean
}

/** Names with values that may read other steps' results. */
export function TemplateDictionary({ refId, ...field }: TemplateDictionaryProps) {
  return (
    <DictionaryField {...field} renderValue={(control) => <TemplateInput refId={refId} {...control} />} />
  )
}
