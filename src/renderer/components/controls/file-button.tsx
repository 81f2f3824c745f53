import { FileUp } from 'lucide-react'
import { useRef } from 'react'
import { t } from '../../lib/i18n.ts'
import { Button } from './button.tsx'

interface FileButtonProps {
  /** `.json,text/plain` */
  readonly accept: string
  readonly onRead: (text: string) => void
}

/** Reads the text of a file that is to be imported. */
export function FileButton({ accept, onRead }: FileButtonProps) {
  const input = useRef<HTMLInputElement>(null)
  return (
    <>
      <Button icon={FileUp} onClick={() => input.current?.click()}>
        {t('Open a file')}
      </Button>
      <input
        ref={input}
        type="file"
        hidden
        aria-label={t('File to import')}
        accept={accept}
        onChange={(event) => void event.target.files?.[0]?.text().then(onRead)}
      />
    </>
  )
}
