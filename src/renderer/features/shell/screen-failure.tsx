import type { ErrorComponentProps } from '@tanstack/react-router'
import { asAppError } from '../../api/failure.ts'
import { Button } from '../../components/button.tsx'
import { ErrorNotice } from '../../components/error-notice.tsx'
import { Column, Page } from '../../components/page.tsx'

/** A defect of the page itself: said where it is, with a way on; the rest of the page goes on working. */
export function ScreenFailure({ error, reset }: ErrorComponentProps) {
  return (
    <Page title="This screen failed">
      <Column>
        <ErrorNotice
          error={asAppError(error)}
          title="The page has a defect here"
          onRetry={reset}
          actions={<Button onClick={() => window.location.reload()}>Load the page anew</Button>}
        />
      </Column>
    </Page>
  )
}
