import { UserRoundCheck } from '../../lib/icons.tsx'
import { OWN_USER } from '../../api/lists.ts'
import { useApi } from '../../api/provider.tsx'
import { useResource } from '../../api/resource.ts'
import { Button } from '../../components/controls/button.tsx'
import { Trans } from '../../lib/trans.tsx'
import { t } from '../../lib/i18n.ts'
import { userName } from '../../lib/format.ts'

/** Says on every screen that it belongs to somebody else. */
export function ActingBanner() {
  const api = useApi()
  const { data: user } = useResource(OWN_USER)
  return (
    <div role="status" className="col-span-2">
      {api.actingAs() === null || user === null ? null : (
        <div className="flex min-h-9 flex-wrap items-center gap-3 border-b border-retrying/40 bg-retrying-soft px-4 py-1 text-retrying">
          <UserRoundCheck size={15} aria-hidden className="shrink-0" />
          <p className="min-w-0 flex-1">
            <Trans
              text={
                '<strong>You’re acting as {{name}}.</strong> You see what {{name}} can see, and anything you create belongs to {{name}}.'
              }
              values={{ name: userName(user) }}
              parts={{ strong: <strong /> }}
            />
          </p>
          <Button onClick={() => api.actAs(null)}>{t('Stop acting as this user')}</Button>
        </div>
      )}
    </div>
  )
}
