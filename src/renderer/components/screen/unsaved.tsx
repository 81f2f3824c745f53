import { useBlocker } from '@tanstack/react-router'
import { useRef } from 'react'
import type { ReactNode } from 'react'
import { t } from '../../lib/i18n.ts'
import { ConfirmDialog } from './confirm-dialog.tsx'

interface LeaveQuestionProps {
  readonly open: boolean
  readonly question?: string | undefined
  readonly onLeave: () => void
  readonly onStay: () => void
}

/** Asks whether unsaved changes may be lost. */
export function LeaveQuestion({ open, question, onLeave, onStay }: LeaveQuestionProps) {
  return (
    <ConfirmDialog
      open={open}
      title={question ?? t('Leave without saving your changes?')}
      action={t('Leave')}
      onConfirm={onLeave}
      onClose={onStay}
    >
      {t('What you entered here will be lost.')}
    </ConfirmDialog>
  )
}

interface Unsaved {
  /** Rendered by the screen. */
  readonly asking: ReactNode
  /** Called before the screen itself navigates after saving or deleting. */
  readonly leave: () => void
}

/** Asks before another screen replaces an unsaved form. */
export function useUnsaved(dirty: boolean, question?: string): Unsaved {
  const leaving = useRef(false)
  const blocker = useBlocker({
    shouldBlockFn: ({ current, next }) =>
      !leaving.current &&
      current.pathname !== next.pathname &&
      // On the way to the tester nothing is lost: the open form is kept, and restored with its state.
      !('for' in next.search),
    enableBeforeUnload: () => dirty,
    disabled: !dirty,
    withResolver: true,
  })
  return {
    asking: (
      <LeaveQuestion
        open={blocker.status === 'blocked'}
        question={question}
        onLeave={() => blocker.proceed?.()}
        onStay={() => blocker.reset?.()}
      />
    ),
    leave: () => {
      leaving.current = true
    },
  }
}
