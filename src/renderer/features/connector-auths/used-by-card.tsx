import { Link } from '@tanstack/react-router'
import { listConnectorAuthFlowsRoute } from '../../../shared/contract/connector-auths.ts'
import { resource, useResource } from '../../api/resource.ts'
import { Card } from '../../components/screen/page.tsx'
import { t } from '../../lib/i18n.ts'

const flowsUsing = (id: string) => resource(listConnectorAuthFlowsRoute, { nouns: ['flow'], params: { id } })

/** The flows that break if this auth is deleted. */
export function UsedByCard({ authId }: { readonly authId: string }) {
  const { data: flows } = useResource(flowsUsing(authId))
  if (flows === null) return null
  return (
    <Card title={t('Used by')}>
      {flows.length === 0 ? (
        <p className="p-4 text-muted">
          {t(
            'No flows use it. Flows that take the connector auth from the caller (dynamic_auth_id) aren’t listed.',
          )}
        </p>
      ) : (
        <ul className="flex flex-col p-2">
          {flows.map(({ id, name }) => (
            <li key={id}>
              <Link
                to="/flows/$flowId"
                params={{ flowId: id }}
                className="block rounded-sm px-2 py-1 text-accent-text hover:bg-hover hover:underline"
              >
                {name}
              </Link>
            </li>
          ))}
        </ul>
      )}
    </Card>
  )
}
