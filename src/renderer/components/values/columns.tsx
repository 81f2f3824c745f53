import { useState } from 'react'
import type { ReactNode } from 'react'
import type { Needs } from '../controls/needs.ts'
import { IconButton } from '../controls/button.tsx'
import { type English, t } from '../../lib/i18n.ts'
import { Columns3, Trash2 } from '../../lib/icons.tsx'
import { recall, remember } from '../../lib/remembered.ts'
import { Menu } from '../controls/menu.tsx'
import type { Column } from './data-table.tsx'
import { Time } from './time.tsx'

/** When something happened; null means never. */
export function timeColumn<Id extends string>(
  id: Id,
  header: English,
  place: Pick<Column<never>, 'width' | 'yields'>,
): Column<{ readonly [I in Id]: string | null }> {
  return { id, header, ...place, sortBy: (row) => row[id] ?? '', cell: (row) => <TimeOrNever at={row[id]} /> }
}

export function TimeOrNever({ at }: { readonly at: string | null }) {
  return at === null ? <span className="text-muted">{t('never')}</span> : <Time at={at} />
}

/** The buttons of a row, above the link that covers it. */
export function actionsColumn<Row>(width: string, buttons: (row: Row) => ReactNode): Column<Row> {
  return {
    id: 'actions',
    header: null,
    width,
    align: 'end',
    cell: (row) => <span className="relative z-10">{buttons(row)}</span>,
  }
}

/** The columns chosen in this browser, and the menu that they are chosen in; the first one always stays. */
export function useChosenColumns<Row>(list: string, columns: readonly Column<Row>[]) {
  const key = `columns ${list}`
  const [hidden, setHidden] = useState<readonly string[]>(() => (recall(key) ?? '').split(' '))
  const toggle = (id: string) => {
    const next = hidden.includes(id) ? hidden.filter((one) => one !== id) : [...hidden, id]
    setHidden(next)
    remember(key, next.join(' '))
  }
  const isHidden = ({ id }: Column<Row>) => hidden.includes(id)
  const menu = (
    <Menu
      trigger={<IconButton label={t('Columns')} icon={Columns3} />}
      groups={[
        columns.slice(1).flatMap((column) =>
          column.header === null
            ? []
            : [
                {
                  label: t(column.header),
                  checked: !isHidden(column),
                  onSelect: () => toggle(column.id),
                },
              ],
        ),
      ]}
    />
  )
  return [columns.filter((column, index) => index === 0 || !isHidden(column)), menu] as const
}

interface DeleteIconProps {
  readonly name: string
  readonly needs: Needs
  readonly onClick: () => void
}

export function DeleteIcon({ name, ...rest }: DeleteIconProps) {
  return <IconButton small label={t('Delete {{name}}', { name })} icon={Trash2} {...rest} />
}
