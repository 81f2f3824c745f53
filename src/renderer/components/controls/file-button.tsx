import { FileUp } from 'lucide-react'
import { useRef } from 'react'
import { t } from '../../lib/i18n.ts'
import { Button } from './button.tsx'

/** Chooses a text file to import. */
export function FileButton({ onFile }: { readonly onFile: (file: File | undefined) => void }) {
  const input = useRef<HTMLInputElement>(null)
  return (
    <>
      <Button icon={FileUp} onClick={() => input.current?.click()}>
        {t('Open file')}
      </Button>
      <input
        ref={input}
        type="file"
        hidden
        aria-label={t('File to import')}
        accept=".json,.yaml,.yml,.txt,.sh,application/json,application/yaml,text/plain"
        onChange={({ target }) => {
          onFile(target.files?.[0])
          target.value = ''
        }}
      />
    </>
  )
}
