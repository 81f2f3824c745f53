import { useState } from 'react'
import { AppError } from '../../../shared/contract/errors.ts'
import type { User } from '../../../shared/contract/users.ts'
import { ConfirmDialog } from '../../components/dialog.tsx'
import { announce } from '../../components/toast.tsx'
import { useUsers } from './users-store.ts'

/** Asks before a user goes, and a second time where flows would lose an auth with them. */
export function DeleteUser({ user, onClose }: { readonly user: User; readonly onClose: () => void }) {
  const userRemoved = useUsers((state) => state.userRemoved)
  const [hasFlows, setHasFlows] = useState(false)
  return (
    <ConfirmDialog
      open
      title={`Delete “${user.name}”?`}
      action={hasFlows ? 'Delete them all the same' : 'Delete user'}
      onClose={onClose}
      onConfirm={async () => {
        try {
          await userRemoved(user.id, hasFlows)
        } catch (error) {
          if (error instanceof AppError && error.code === 'conflict') setHasFlows(true)
          throw error
        }
        announce(`Deleted the user “${user.name}”`)
      }}
    >
      <ul className="flex list-disc flex-col gap-1 pl-4">
        <li>Their tokens are answered 401 from that moment.</li>
        <li>Auths that nobody else may see are deleted with their secrets.</li>
        <li>
          Auths that they share stay with those they are shared with; flows go to the user of this machine.
        </li>
        <li>They leave their teams.</li>
      </ul>
    </ConfirmDialog>
  )
}
