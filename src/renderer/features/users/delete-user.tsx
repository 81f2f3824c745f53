import { useEffect, useState } from 'react'
import { AppError } from '../../../shared/contract/base/errors.ts'
import { listConnectorAuthsRoute } from '../../../shared/contract/connector-auths.ts'
import { listTokensRoute } from '../../../shared/contract/tokens.ts'
import { deleteUserRoute } from '../../../shared/contract/users.ts'
import type { User } from '../../../shared/contract/users.ts'
import type { Api } from '../../api/create-api.ts'
import { USERS } from '../../api/lists.ts'
import { useApi } from '../../api/provider.tsx'
import { cached } from '../../api/resource.ts'
import { ConfirmDialog } from '../../components/screen/confirm-dialog.tsx'
import { announce } from '../../components/screen/toast.tsx'
import { plural } from '../../lib/format.ts'
import { t } from '../../lib/i18n.ts'

/** Asks before a user is deleted, and a second time if flows would lose an auth. */
export function DeleteUser({ user, onClose }: { readonly user: User; readonly onClose: () => void }) {
  const api = useApi()
  const [belongings, setBelongings] = useState<Belongings | null>(null)
  const [hasFlows, setHasFlows] = useState(false)
  useEffect(() => {
    // Without the response, the sentences below stay general, but they are still true.
    void belongingsOf(api, user.id).then(setBelongings, () => undefined)
  }, [api, user.id])
  return (
    <ConfirmDialog
      open
      title={t('Delete “{{name}}”?', { name: user.name })}
      action={hasFlows ? t('Delete anyway') : t('Delete user')}
      onClose={onClose}
      onConfirm={async () => {
        try {
          const query = hasFlows ? ({ force: 'true' } as const) : {}
          await cached(api, USERS)
            .getState()
            .after(api.call(deleteUserRoute, { params: { id: user.id }, query }))
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
              ? t('No connector auth is lost, because other users can see all that are in use.')
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

/** The records that are deleted with a user. */
interface Belongings {
  readonly tokens: number
  /** Names of the auths that nobody else can see. */
  readonly lonelyAuths: readonly string[]
}

async function belongingsOf(api: Pick<Api, 'as'>, id: string): Promise<Belongings> {
  const theirs = api.as(id)
  const [tokens, auths] = await Promise.all([
    theirs.call(listTokensRoute),
    theirs.call(listConnectorAuthsRoute),
  ])
  const lonely = auths.filter(
    ({ access: { visibility, user_ids: sharedWith } }) =>
      visibility === 'private' || (visibility === 'selected' && sharedWith.length === 0),
  )
  return { tokens: tokens.length, lonelyAuths: lonely.map(({ name }) => name) }
}
