import { ListTree } from 'lucide-react'
import { Button } from '../../components/button.tsx'
import { Menu } from '../../components/menu.tsx'
import { writeConfig } from './config-text.ts'
import { usePagination } from './pagination-store.ts'
import { PRESETS } from './presets.ts'

/** Configurations to begin with: what the connector has, and the eight usual shapes. */
export function PresetMenu({ onChoose }: { readonly onChoose: (configText: string) => void }) {
  const connector = usePagination(({ form, connectors }) =>
    form.source === 'connector' ? (connectors?.find(({ id }) => id === form.connectorId) ?? null) : null,
  )
  const own = connector?.pagination_config ?? null
  return (
    <Menu
      trigger={
        <Button look="quiet" icon={ListTree} className="h-6">
          Presets
        </Button>
      }
      groups={[
        ...(connector === null || own === null
          ? []
          : [
              [
                {
                  label: `Configuration of ${connector.name}`,
                  hint: 'As it is saved',
                  onSelect: () => onChoose(writeConfig(own)),
                },
              ],
            ]),
        PRESETS.map(({ label, hint, config }) => ({
          label,
          hint,
          onSelect: () => onChoose(writeConfig(config)),
        })),
      ]}
    />
  )
}
