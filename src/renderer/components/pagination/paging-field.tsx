import { CircleCheck, Settings2 } from '../../lib/icons.tsx'
import { useState } from 'react'
import { plural } from '../../lib/format.ts'
import { t } from '../../lib/i18n.ts'
import { Button } from '../controls/button.tsx'
import { PAGING, PagingSheet, type PagingSheetProps } from './paging-sheet.tsx'

interface PagingFieldProps extends Omit<PagingSheetProps, 'onClose' | 'onApply'> {
  /** Number of pages returned by the last read; null if unknown. */
  readonly pages: number | null
  readonly error?: string | undefined
  readonly onChange: (config: unknown) => void
}

/** Pagination or a search as one line with its state; its sheet contains the rest. */
export function PagingField({ kind = PAGING, pages, error, onChange, ...sheet }: PagingFieldProps) {
  const [open, setOpen] = useState(false)
  /** The number of pages read in the sheet, with the configuration applied there. */
  const [tested, setTested] = useState<{ readonly config: string; readonly pages: number } | null>(null)
  const isOff = sheet.config === null || sheet.config === undefined
  const isTested = tested !== null && tested.config === JSON.stringify(sheet.config)
  const read = isTested ? tested.pages : pages
  return (
    <div role="group" aria-label={t(kind.title)} className="flex flex-col gap-1">
      <div className="flex min-h-8 flex-wrap items-center gap-x-3 gap-y-1">
        <span className="text-sm font-medium">{t(kind.title)}</span>
        <span className={isOff ? 'text-muted' : undefined}>{kind.words(sheet.config)}</span>
        {isOff || read === null ? null : (
          <span className="tabular flex items-center gap-1 text-sm text-success">
            <CircleCheck size={13} aria-hidden />
            {plural(read, 'page')}
          </span>
        )}
        <Button className="ml-auto" icon={Settings2} onClick={() => setOpen(true)}>
          {t(kind.setUp)}
        </Button>
      </div>
      {error === undefined ? null : <p className="text-error">{error}</p>}
      {open ? (
        <PagingSheet
          {...sheet}
          kind={kind}
          onClose={() => setOpen(false)}
          onApply={(config, readPages) => {
            setTested(readPages === null ? null : { config: JSON.stringify(config), pages: readPages })
            setOpen(false)
            onChange(config)
          }}
        />
      ) : null}
    </div>
  )
}
