import { Link } from '@tanstack/react-router'
import { Circle, CircleCheck } from '../../lib/icons.tsx'
import { useState } from 'react'
import { Button } from '../../components/controls/button.tsx'
import { Card } from '../../components/screen/page.tsx'
import { t } from '../../lib/i18n.ts'
import { recall, remember } from '../../lib/remembered.ts'

/** A newcomer's first steps, and whether each is done. */
interface FirstSteps {
  readonly webhook: boolean
  readonly ownFlow: boolean
  readonly auth: boolean
  readonly active: boolean
}

/** The first steps, until all of them are done or the list is hidden. */
export function FirstStepsCard({ steps }: { readonly steps: FirstSteps }) {
  const [hidden, setHidden] = useState(() => recall('first-steps') === 'hidden')
  const isDone = Object.values(steps).every(Boolean)
  if (hidden || isDone) return null
  return (
    <Card
      title={t('First steps')}
      aside={
        <Button
          look="quiet"
          onClick={() => {
            setHidden(true)
            remember('first-steps', 'hidden')
          }}
        >
          {t('Hide')}
        </Button>
      }
    >
      <ul className="py-1.5">
        <FirstStep done={steps.webhook}>
          <Link to="/webhooks" className={LINK}>
            {t('Receive a webhook')}
          </Link>
        </FirstStep>
        <FirstStep done={steps.ownFlow}>
          <Link to="/flows" search={{ create: true }} className={LINK}>
            {t('Create your own flow')}
          </Link>
        </FirstStep>
        <FirstStep done={steps.auth}>
          <Link to="/auths" search={{ create: true }} className={LINK}>
            {t('Store credentials for an API')}
          </Link>
        </FirstStep>
        <FirstStep done={steps.active}>
          <Link to="/flows" className={LINK}>
            {t('Activate a flow')}
          </Link>
        </FirstStep>
      </ul>
    </Card>
  )
}

const LINK = 'rounded-sm hover:underline'

function FirstStep({ done, children }: { readonly done: boolean; readonly children: React.ReactNode }) {
  const Icon = done ? CircleCheck : Circle
  return (
    <li className="flex min-h-8 items-center gap-2.5 px-4">
      <Icon
        size={14}
        role="img"
        aria-label={done ? t('Done') : t('To do')}
        className={done ? 'shrink-0 text-success' : 'shrink-0 text-faint'}
      />
      <span className={done ? 'text-muted line-through' : ''}>{children}</span>
    </li>
  )
}
