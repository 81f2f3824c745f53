import type { FlowSettings } from '../../../../shared/contract/flows.ts'
import { JsonField } from '../../../components/code/json-field.tsx'
import { Switch } from '../../../components/controls/field.tsx'
import { Card } from '../../../components/screen/page.tsx'
import { t } from '../../../lib/i18n.ts'

type McpTool = FlowSettings['mcp_tool']

interface McpCardProps {
  readonly tool: McpTool
  /** By their path: `settings.mcp_tool.input_schema`. */
  readonly errors: Readonly<Record<string, string | undefined>>
  readonly onChange: (tool: McpTool) => void
}

/** Whether AI clients see the flow as a tool, and the input they have to send. */
export function McpCard({ tool, errors, onChange }: McpCardProps) {
  const path = Object.keys(errors).find((name) => name.startsWith('settings.mcp_tool'))
  return (
    <Card stacked title={t('AI clients')}>
      <Switch
        label={t('Offer as a tool')}
        hint={t(
          'AI clients see the flow with its name and description if the MCP server is turned on in Settings.',
        )}
        checked={tool !== null}
        onChange={(on) => onChange(on ? { input_schema: null } : null)}
      />
      {tool === null ? null : (
        <JsonField
          label={t('Input schema')}
          hint={t(
            'JSON Schema of the input, for example {"properties": {"order_id": {"type": "integer"}}, "required": ["order_id"]}. Leave empty to accept any object.',
          )}
          error={path === undefined ? undefined : errors[path]}
          value={tool.input_schema}
          onChange={(schema) => onChange({ input_schema: schema as NonNullable<McpTool>['input_schema'] })}
        />
      )}
    </Card>
  )
}
