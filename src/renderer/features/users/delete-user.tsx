import { useEffect, useState } from 'react'
import { AppError } from '../../../shared/contract/base/errors.ts'
import type { User } from '../../../shared/contract/users.ts'
import { ConfirmDialog } from '../../components/screen/dialog.tsx'
import { announce } from '../../components/screen/toast.tsx'
import { plural } from '../../lib/format.ts'
import { t } from '../../lib/i18n.ts'
import { useUsers } from './users-store.ts'
import type { Belongings } from './users-store.ts'

/** Asks before a user is deleted, and a second time if flows would lose an auth. */
export function DeleteUser({ user, onClose }: { readonly user: User; readonly onClose: () => void }) {
  const userRemoved = useUsers((state) => state.userRemoved)
  const belongingsOf = useUsers((state) => state.belongingsOf)
  const [belongings, setBelongings] = useState<Belongings | null>(null)
  const [hasFlows, setHasFlows] = useState(false)
  useEffect(() => {
    // Without the response the sentences below stay general; they are still true.
    void belongingsOf(user.id).then(setBelongings, () => undefined)
  }, [belongingsOf, user.id])
  return (
    <ConfirmDialog
      open
      title={t('Delete “{{name}}”?', { name: user.name })}
      action={hasFlows ? t('Delete them all the same') : t('Delete user')}
      onClose={onClose}
      onConfirm={async () => {
        try {
          await userRemoved(user.id, hasFlows)
        } catch (error) {
          if (error instanceof AppError && error.code === 'conflict') setHasFlows(true)
          throw error
        }
        announce(t('Deleted the user “{{name}}”', { name: user.name }))
      }}
    >
      <ul className="flex list-disc flex-col gap-1 pl-4">
        <li>
          {belongings === null
            ? t('Their tokens are answered 401 from that moment.')
            : belongings.tokens === 0
              ? t('They have no tokens.')
              : t('{{tokens}} of theirs will be answered 401 from that moment.', {
                  tokens: plural(belongings.tokens, 'token'),
                })}
        </li>
        <li>
          {belongings === null
            ? t('Auths that nobody else may see are deleted with their secrets.')
            : belongings.lonelyAuths.length === 0
              ? t('No auth is lost: others may see all that they use.')
              : t('Deleted with their secrets: {{lonelyAuths}}.', {
                  lonelyAuths: belongings.lonelyAuths.map((name) => `“${name}”`).join(', '),
                })}
        </li>
        <li>
          {t(
            'What they shared stays with those they shared it with; their flows are paused and go to the user of this machine.',
          )}
        </li>
      </ul>
    </ConfirmDialog>
  )
}
