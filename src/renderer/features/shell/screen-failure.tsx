import type { ErrorComponentProps } from '@tanstack/react-router'
import { asAppError } from '../../api/failure.ts'
import { Button } from '../../components/controls/button.tsx'
import { ErrorNotice } from '../../components/screen/error-notice.tsx'
import { Column, Page } from '../../components/screen/page.tsx'
import { t } from '../../lib/i18n.ts'

/**
 * An error of the page itself. It is shown instead of the screen, with a way out; the rest of the page keeps working.
 */
export function ScreenFailure({ error, reset }: ErrorComponentProps) {
  return (
    <Page title={t('This page couldn’t be displayed')}>
      <Column>
        <ErrorNotice
          error={asAppError(error)}
          title={t('Something went wrong')}
          onRetry={reset}
          actions={<Button onClick={() => window.location.reload()}>{t('Reload')}</Button>}
        />
      </Column>
    </Page>
  )
}
