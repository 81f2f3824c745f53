import { MapPinOff } from 'lucide-react'
import { ButtonLink } from '../../components/button.tsx'
import { EmptyState } from '../../components/empty-state.tsx'
import { Page } from '../../components/page.tsx'

export function NotFound() {
  return (
    <Page title="No such page">
      <EmptyState
        icon={MapPinOff}
        title={`Nothing is at ${window.location.pathname}`}
        action={
          <ButtonLink to="/" look="primary">
            Go to Home
          </ButtonLink>
        }
      >
        The address may have been cut, or belong to another version of Millrace.
      </EmptyState>
    </Page>
  )
}
