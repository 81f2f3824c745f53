import type { ReactNode } from 'react'
import type { Needs } from '../controls/needs.ts'
import { IconButton } from '../controls/button.tsx'
import { type English, t } from '../../lib/i18n.ts'
import { Trash2 } from '../../lib/icons.tsx'
import type { Column } from './data-table.tsx'
import { Time } from './time.tsx'

/** When something happened; null: never. */
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

interface DeleteIconProps {
  readonly name: string
  readonly needs: Needs
  readonly onClick: () => void
}

export function DeleteIcon({ name, ...rest }: DeleteIconProps) {
  return <IconButton small label={t('Delete {{name}}', { name })} icon={Trash2} {...rest} />
}
