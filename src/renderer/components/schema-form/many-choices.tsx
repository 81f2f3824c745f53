import { X } from '../../lib/icons.tsx'
import { useState } from 'react'
import { t } from '../../lib/i18n.ts'
import type { SchemaField } from '../../lib/schema-fields.ts'
import { Button } from '../controls/button.tsx'
import { Field, TextInput } from '../controls/field.tsx'

interface ManyChoicesProps {
  readonly field: SchemaField
  readonly value: unknown
  readonly onChange: (value: unknown) => void
}

/** Every option with a checkbox; typed options come last. */
export function ManyChoices({ field, value, onChange }: ManyChoicesProps) {
  const chosen = (Array.isArray(value) ? value : [])
    .filter((one) => typeof one === 'string' || typeof one === 'number')
    .map(String)
  const own = chosen.filter((one) => !field.options.some((option) => option.value === one))
  const sentFor = (one: string) => field.options.find((option) => option.value === one)?.sent ?? one
  const choose = (next: readonly string[]) => onChange(next.map(sentFor))
  const remove = (one: string) => choose(chosen.filter((other) => other !== one))
  return (
    <>
      <ul className="flex flex-wrap gap-x-4 gap-y-1.5 empty:hidden">
        {field.options.map(({ value: option, label }) => (
          <li key={option}>
            <label className="flex items-center gap-1.5">
              <input
                type="checkbox"
                className="size-3.5 accent-(--accent)"
                checked={chosen.includes(option)}
                onChange={({ target }) => (target.checked ? choose([...chosen, option]) : remove(option))}
              />
              {label}
            </label>
          </li>
        ))}
        {own.map((one) => (
          <li key={one} className="flex items-center gap-1 rounded-full bg-sunken pr-1 pl-2">
            {one}
            <button
              type="button"
              aria-label={t('Remove {{one}}', { one })}
              className="grid size-5 place-items-center rounded-full text-muted hover:bg-hover"
              onClick={() => remove(one)}
            >
              <X size={12} aria-hidden />
            </button>
          </li>
        ))}
      </ul>
      {field.allowCreate ? (
        <AddChoice onAdd={(one) => (chosen.includes(one) ? undefined : choose([...chosen, one]))} />
      ) : null}
    </>
  )
}

function AddChoice({ onAdd }: { readonly onAdd: (choice: string) => void }) {
  const [typed, setTyped] = useState('')
  function add() {
    if (typed.trim() !== '') onAdd(typed.trim())
    setTyped('')
  }
  return (
    <div className="flex items-end gap-2">
      <Field label={t('Other')} className="flex-1">
        <TextInput
          value={typed}
          onChange={setTyped}
          onKeyDown={(event) => {
            if (event.key !== 'Enter') return
            event.preventDefault()
            add()
          }}
        />
      </Field>
      <Button onClick={add}>{t('Add')}</Button>
    </div>
  )
}
