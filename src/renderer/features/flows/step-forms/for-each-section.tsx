import { useState } from 'react'
import { FOR_EACH_FIELDS, hasForEach } from '../../../../shared/contract/step-types/parts/for-each.ts'
import { Button } from '../../../components/controls/button.tsx'
import { cx } from '../../../lib/cx.ts'
import { t } from '../../../lib/i18n.ts'
import { ChevronRight } from '../../../lib/icons.tsx'
import { FormFields } from '../fields/form-fields.tsx'
import type { StepFormProps } from '../fields/form-props.ts'

/** The list that the call is made for, item by item; closed until it is needed. */
export function ForEachSection(props: StepFormProps) {
  const [open, setOpen] = useState(hasForEach(props.config))
  return (
    <section aria-label={t('For each item of a list')} className="flex flex-col gap-4">
      <Button
        look="quiet"
        aria-expanded={open}
        onClick={() => setOpen(!open)}
        className="-my-2 -ml-2.5 max-w-full self-start"
      >
        <ChevronRight size={13} aria-hidden className={cx('shrink-0', open && 'rotate-90')} />
        {t('For each item of a list')}
        <span className="min-w-0 truncate font-normal text-muted">{t('all pages of each, as one list')}</span>
      </Button>
      {open ? <FormFields {...props} only={FOR_EACH_FIELDS} /> : null}
    </section>
  )
}
