import { useEffect, useState } from 'react'
import { AppError } from '../../../shared/contract/errors.ts'
import type { User } from '../../../shared/contract/users.ts'
import { ConfirmDialog } from '../../components/dialog.tsx'
import { announce } from '../../components/toast.tsx'
import { plural } from '../../lib/format.ts'
import { useUsers } from './users-store.ts'
import type { Belongings } from './users-store.ts'

/** Asks before a user goes, and a second time where flows would lose an auth with them. */
export function DeleteUser({ user, onClose }: { readonly user: User; readonly onClose: () => void }) {
  const userRemoved = useUsers((state) => state.userRemoved)
  const belongingsOf = useUsers((state) => state.belongingsOf)
  const [belongings, setBelongings] = useState<Belongings | null>(null)
  const [hasFlows, setHasFlows] = useState(false)
  useEffect(() => {
    // Without the answer the sentences below stay general; they hold all the same.
    void belongingsOf(user.id).then(setBelongings, () => undefined)
  }, [belongingsOf, user.id])
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
        <li>
          {belongings === null
            ? 'Their tokens are answered 401 from that moment.'
            : belongings.tokens === 0
              ? 'They have no tokens.'
              : `${plural(belongings.tokens, 'token')} of theirs will be answered 401 from that moment.`}
        </li>
        <li>
          {belongings === null
            ? 'Auths that nobody else may see are deleted with their secrets.'
            : belongings.lonelyAuths.length === 0
              ? 'No auth is lost: others may see all that they use.'
              : `Deleted with their secrets: ${belongings.lonelyAuths.map((name) => `“${name}”`).join(', ')}.`}
        </li>
        <li>
          What they shared stays with those they shared it with; their flows go to the user of this machine.
        </li>
      </ul>
    </ConfirmDialog>
  )
}
