import { KeyRound } from '../../lib/icons.tsx'
import { useState } from 'react'
import { MCP_PATH } from '../../../shared/contract/reach/mcp.ts'
import { META } from '../../api/lists.ts'
import { useResource } from '../../api/resource.ts'
import { ButtonLink } from '../../components/controls/button.tsx'
import { Field, Switch } from '../../components/controls/field.tsx'
import { Select } from '../../components/controls/select.tsx'
import { Card } from '../../components/screen/page.tsx'
import { CopyIcon } from '../../components/values/copy-button.tsx'
import { t } from '../../lib/i18n.ts'
import { MCP_CLIENTS, MCP_SNIPPETS, type McpClient } from './mcp-snippets.ts'
import type { SettingsDraft } from './setting-fields.tsx'

/** The MCP server: its switch, and what AI clients need to reach it. */
export function McpCard({ shown, set }: SettingsDraft) {
  const { data: meta } = useResource(META)
  return (
    <Card
      stacked
      title={t('AI clients')}
      aside={
        shown.mcp_server ? (
          <ButtonLink icon={KeyRound} to="/tokens" search={{ create: true }}>
            {t('Create token')}
          </ButtonLink>
        ) : null
      }
    >
      <Switch
        label={t('MCP server')}
        hint={t(
          'AI clients with an access token can find, check and run flows, draft changes and read runs, as far as the token’s scopes allow. In a flow’s settings, you can offer the flow as a separate tool.',
        )}
        checked={shown.mcp_server}
        onChange={(mcp_server) => set({ mcp_server })}
      />
      {shown.mcp_server && meta !== null ? <Snippet url={`${meta.url}${MCP_PATH}`} /> : null}
    </Card>
  )
}

function Snippet({ url }: { readonly url: string }) {
  const [client, setClient] = useState<McpClient>('claude_code')
  const { hint, text } = MCP_SNIPPETS[client]
  const snippet = text(url)
  return (
    <>
      <Field label={t('Client')} hint={t(hint)} className="max-w-120">
        <Select
          value={client}
          onChange={setClient}
          options={MCP_CLIENTS.map((value) => ({ value, label: t(MCP_SNIPPETS[value].name) }))}
        />
      </Field>
      <div className="flex items-start gap-1">
        <pre
          className="min-w-0 flex-1 rounded border border-line bg-sunken px-3 py-2 text-code break-all whitespace-pre-wrap"
          aria-label={t('Client configuration')}
        >
          {snippet}
        </pre>
        <CopyIcon label={t('Copy configuration')} text={snippet} />
      </div>
    </>
  )
}
