import { Save } from 'lucide-react'
import { useState } from 'react'
import { Button } from '../../components/controls/button.tsx'
import { t } from '../../lib/i18n.ts'
import { SaveDialog } from './config/save-dialog.tsx'

/** Opens the dialog that keeps the configuration. */
export function SaveButton() {
  const [open, setOpen] = useState(false)
  return (
    <>
      <Button look="quiet" icon={Save} onClick={() => setOpen(true)}>
        {t('Save to connector')}
      </Button>
      {open ? <SaveDialog onClose={() => setOpen(false)} /> : null}
    </>
  )
}
