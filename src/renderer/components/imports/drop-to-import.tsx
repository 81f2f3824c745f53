import type { ReactNode } from 'react'
import { cx } from '../../lib/cx.ts'
import { useFileDrop } from '../screen/use-file-drop.ts'
import { takeImportFile } from './import-text.ts'

interface DropToImportProps {
  /** Opens the dialog, which shows the file. */
  readonly onDropped: () => void
  readonly children: ReactNode
}

/** A screen that accepts a file dropped anywhere. */
export function DropToImport({ onDropped, children }: DropToImportProps) {
  const { over, handlers } = useFileDrop(([file]) => void takeImportFile(file).then(onDropped))
  return (
    <div
      {...handlers}
      className={cx(
        'flex min-h-0 min-w-0 flex-1 flex-col',
        over && 'outline-2 -outline-offset-4 outline-accent outline-dashed',
      )}
    >
      {children}
    </div>
  )
}
