import { useEffect, useState } from 'react'
import { AppError } from '../../../shared/contract/base/errors.ts'
import type { User } from '../../../shared/contract/users.ts'
import { ConfirmDialog } from '../../components/screen/confirm-dialog.tsx'
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
      action={hasFlows ? t('Delete anyway') : t('Delete user')}
      onClose={onClose}
      onConfirm={async () => {
        try {
          await userRemoved(user.id, hasFlows)
        } catch (error) {
          if (error instanceof AppError && error.code === 'conflict') setHasFlows(true)
          throw error
        }
        announce(t('User “{{name}}” deleted', { name: user.name }))
      }}
    >
      <ul className="flex list-disc flex-col gap-1 pl-4">
        <li>
          {belongings === null
            ? t('Their tokens stop working: clients get 401.')
            : belongings.tokens === 0
              ? t('They have no tokens.')
              : t('{{tokens}} will stop working: clients get 401.', {
                  tokens: plural(belongings.tokens, 'token'),
                })}
        </li>
        <li>
          {belongings === null
            ? t('Connector auths that nobody else can see are deleted with their secrets.')
            : belongings.lonelyAuths.length === 0
              ? t('No connector auth is lost: others can see all that are in use.')
              : t('Deleted with their secrets: {{lonelyAuths}}.', {
                  lonelyAuths: belongings.lonelyAuths.map((name) => `“${name}”`).join(', '),
                })}
        </li>
        <li>
          {t(
            'Anything they shared stays shared. Their flows are paused and transferred to the user of this computer.',
          )}
        </li>
      </ul>
    </ConfirmDialog>
  )
}
