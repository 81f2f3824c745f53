import { getRouteApi, useNavigate } from '@tanstack/react-router'
import { ExternalLink, Link2 } from '../../lib/icons.tsx'
import { useState } from 'react'
import type { ReactNode } from 'react'
import { readFlowRoute } from '../../../shared/contract/flows.ts'
import { readImportUrlRoute } from '../../../shared/contract/import-sources.ts'
import { asAppError } from '../../api/failure.ts'
import { useApi } from '../../api/provider.tsx'
import { resource, useResource } from '../../api/resource.ts'
import { Button, ButtonLink } from '../../components/controls/button.tsx'
import { setImportText } from '../../components/imports/import-text.ts'
import { recognize } from '../../components/imports/recognize.ts'
import { ErrorNotice } from '../../components/screen/error-notice.tsx'
import { Card, Column, Page } from '../../components/screen/page.tsx'
import { t } from '../../lib/i18n.ts'
import { safeHref } from '../../lib/urls.ts'

const route = getRouteApi('/open-link')

/** Asks what to do with a `millrace://` link before anything happens, because anybody can write one. */
export function OpenLinkPage() {
  const { flow, import: url } = route.useSearch()
  return (
    <Page title={t('Open link')}>
      <Column>
        {flow !== undefined ? (
          <FlowLink id={flow} />
        ) : url !== undefined ? (
          <ImportLink url={url} />
        ) : (
          <NoLink />
        )}
      </Column>
    </Page>
  )
}

function FlowLink({ id }: { readonly id: string }) {
  const { data: flow, failure } = useResource(resource(readFlowRoute, { nouns: ['flow'], params: { id } }))
  if (failure !== null)
    return (
      <Question title={t('Flow not found')} detail={id}>
        <ButtonLink to="/flows">{t('Go to flows')}</ButtonLink>
      </Question>
    )
  if (flow === null) return null
  return (
    <Question title={t('A link wants to open the flow “{{name}}”', { name: flow.name })} detail={id}>
      <ButtonLink to="/flows/$flowId" params={{ flowId: id }} look="primary">
        {t('Open flow')}
      </ButtonLink>
      <ButtonLink to="/">{t('Ignore')}</ButtonLink>
    </Question>
  )
}

function ImportLink({ url }: { readonly url: string }) {
  const api = useApi()
  const navigate = useNavigate()
  const [state, setState] = useState<{ busy: boolean; failure: unknown }>({ busy: false, failure: null })
  const href = safeHref(url)

  async function read() {
    setState({ busy: true, failure: null })
    try {
      const { source: text } = await api.call(readImportUrlRoute, { body: { url } })
      setImportText(text)
      const there = recognize(text)?.list ?? 'flows'
      await navigate({ to: `/${there}`, search: { import: true } })
    } catch (error) {
      setState({ busy: false, failure: error })
    }
  }

  return (
    <Question title={t('A link wants to import from this URL')} detail={url}>
      {state.failure === null ? (
        <p className="w-full text-muted">
          {t('Nothing has been read yet. You’ll see a preview before anything is imported.')}
        </p>
      ) : (
        <div className="w-full">
          <ErrorNotice error={asAppError(state.failure)} title={t('Couldn’t read this')} />
        </div>
      )}
      <Button look="primary" busy={state.busy} onClick={() => void read()}>
        {t('Read and preview')}
      </Button>
      {state.failure === null || href === undefined ? null : (
        <a
          href={href}
          target="_blank"
          rel="noreferrer"
          className="inline-flex items-center gap-1.5 rounded-sm text-accent-text hover:underline"
        >
          <ExternalLink size={14} aria-hidden />
          {t('Download in the browser')}
        </a>
      )}
      <ButtonLink to="/">{t('Ignore')}</ButtonLink>
    </Question>
  )
}

function NoLink() {
  return (
    <Question title={t('This link isn’t valid')} detail="millrace://">
      <ButtonLink to="/">{t('Ignore')}</ButtonLink>
    </Question>
  )
}

interface QuestionProps {
  readonly title: string
  readonly detail: string
  readonly children: ReactNode
}

function Question({ title, detail, children }: QuestionProps) {
  return (
    <Card stacked title={title}>
      <p className="flex min-w-0 items-center gap-2">
        <Link2 size={16} aria-hidden className="shrink-0 text-faint" />
        <code className="min-w-0 text-code break-all">{detail}</code>
      </p>
      <div className="flex flex-wrap items-center gap-2">{children}</div>
    </Card>
  )
}
