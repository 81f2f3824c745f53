import { X } from '../../lib/icons.tsx'
import { CONNECTOR_AUTHS, FLOWS } from '../../api/lists.ts'
import { useResource } from '../../api/resource.ts'
import { IconButton } from '../../components/controls/button.tsx'
import { Combo } from '../../components/controls/combo.tsx'
import { t } from '../../lib/i18n.ts'

interface ChosenProps {
  /** IDs; null means all. */
  readonly value: readonly string[] | null
  readonly onChange: (ids: string[] | null) => void
  readonly error?: string | undefined
}

export function ChosenFlows(props: ChosenProps) {
  const { data: flows } = useResource(FLOWS)
  return (
    <ChosenRecords
      {...props}
      legend={t('Flows')}
      all={t('All flows')}
      some={t('Chosen flows')}
      add={t('Add flow')}
      records={flows ?? []}
    />
  )
}

export function ChosenAuths(props: ChosenProps) {
  const { data: auths } = useResource(CONNECTOR_AUTHS)
  return (
    <ChosenRecords
      {...props}
      legend={t('Connector auths')}
      all={t('All connector auths')}
      some={t('Chosen connector auths')}
      add={t('Add connector auth')}
      records={auths ?? []}
    />
  )
}

interface ChosenRecordsProps extends ChosenProps {
  readonly legend: string
  readonly all: string
  readonly some: string
  readonly add: string
  readonly records: readonly { readonly id: string; readonly name: string }[]
}

/** All records of a kind, or some of them, found by name. */
function ChosenRecords({ legend, all, some, add, records, value, onChange, error }: ChosenRecordsProps) {
  const left = records.filter(({ id }) => value?.includes(id) !== true)
  return (
    <fieldset className="flex min-w-0 flex-col gap-1.5">
      <legend className="mb-1 font-medium">{legend}</legend>
      {[
        { label: all, isChosen: value === null, choose: () => onChange(null) },
        { label: some, isChosen: value !== null, choose: () => onChange([...(value ?? [])]) },
      ].map(({ label, isChosen, choose }) => (
        <label key={label} className="flex min-h-6 items-center gap-2">
          <input type="radio" className="size-3.5 accent-(--accent)" checked={isChosen} onChange={choose} />
          {label}
        </label>
      ))}
      {value === null ? null : (
        <div className="flex flex-col gap-1.5 pl-5.5">
          <ul className="flex flex-col" aria-label={some}>
            {value.map((id) => {
              const name = records.find((record) => record.id === id)?.name ?? id
              return (
                <li key={id} className="flex min-h-7 items-center gap-2">
                  <span className="min-w-0 flex-1 truncate">{name}</span>
                  <IconButton
                    small
                    label={t('Remove {{name}}', { name })}
                    icon={X}
                    onClick={() => onChange(value.filter((one) => one !== id))}
                  />
                </li>
              )
            })}
          </ul>
          <Combo
            // Empty again after each choice.
            key={value.length}
            value=""
            label={add}
            placeholder={add}
            options={left.map(({ id, name }) => ({ value: id, label: name }))}
            onChange={(id) => onChange([...value, id])}
          />
        </div>
      )}
      {error === undefined ? null : <p className="text-error">{error}</p>}
    </fieldset>
  )
}
