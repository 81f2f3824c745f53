import { MapPinOff } from '../../lib/icons.tsx'
import { ButtonLink } from '../../components/controls/button.tsx'
import { EmptyState } from '../../components/screen/empty-state.tsx'
import { Page } from '../../components/screen/page.tsx'
import { t } from '../../lib/i18n.ts'

export function NotFound() {
  return (
    <Page title={t('Page not found')}>
      <EmptyState
        icon={MapPinOff}
        title={t('There’s no page at {{pathname}}', { pathname: window.location.pathname })}
        action={
          <ButtonLink to="/" look="primary">
            {t('Go to Home')}
          </ButtonLink>
        }
      >
        {t('The URL may be incomplete or belong to another version of Millrace.')}
      </EmptyState>
    </Page>
  )
}
