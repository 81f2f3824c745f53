import { ScrollText } from '../../lib/icons.tsx'
import { fieldsOf } from '../../api/failure.ts'
import { formatJson } from '../../lib/json.ts'
import { ButtonLink } from '../../components/controls/button.tsx'
import { Card, Column } from '../../components/screen/page.tsx'
import { Pre } from '../../components/values/snippet-box.tsx'
import { t } from '../../lib/i18n.ts'
import { ConnectorPaging, ConnectorSearch } from './connector-paging.tsx'
import type { ConnectorViewProps } from './view-props.ts'

/** The pagination of the API's long lists, and the search for its records. */
export function PagingView({ connector, actions, failure, readOnly, trip, onChange }: ConnectorViewProps) {
  const errors = fieldsOf(failure)
  return (
    <Column>
      <Card
        title={t('Pagination')}
        aside={
          readOnly ? (
            <ButtonLink icon={ScrollText} to="/pagination" search={{ connector: connector.id }}>
              {t('Open in tester')}
            </ButtonLink>
          ) : null
        }
      >
        <div className="p-4">
          {readOnly ? (
            <ReadOnlyJson label={t('Pagination configuration')} value={connector.pagination_config} />
          ) : (
            <ConnectorPaging
              connector={connector}
              actions={actions}
              error={errors.pagination_config?.[0]}
              onChange={(pagination_config) => onChange({ pagination_config })}
              {...(trip === undefined ? {} : { trip })}
            />
          )}
        </div>
      </Card>
      <Card title={t('Remote search')}>
        <div className="p-4">
          {readOnly ? (
            <ReadOnlyJson label={t('Search configuration')} value={connector.search_config} />
          ) : (
            <ConnectorSearch
              connector={connector}
              actions={actions}
              error={errors.search_config?.[0]}
              onChange={(search_config) => onChange({ search_config })}
            />
          )}
        </div>
      </Card>
    </Column>
  )
}

function ReadOnlyJson({ label, value }: { readonly label: string; readonly value: unknown }) {
  if (value === null) return <p className="text-muted">{t('None')}</p>
  return (
    <div className="rounded border border-line bg-sunken">
      <Pre label={label}>{formatJson(value)}</Pre>
    </div>
  )
}
