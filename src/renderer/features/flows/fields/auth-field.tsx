import { AuthChoice } from '../../../components/auths/auth-choice.tsx'
import { t } from '../../../lib/i18n.ts'
import { useAssist } from '../state/editor-context.tsx'
import { TemplateField } from './template-field.tsx'

interface AuthFieldProps {
  readonly refId: string
  /** Defaults to "Connector auth". */
  readonly label?: string
  readonly required?: boolean
  /** Only auths of this connector are listed. */
  readonly connectorId?: string
  /** The initial connector of a new auth; without it, the auth is for any URL. */
  readonly newFor?: string
  /** The URL called with it, a template. */
  readonly address?: string
  readonly value: unknown
  readonly error?: string | undefined
  readonly onChange: (authId: string | null) => void
}

/** A stored auth, chosen by its name, or a template that returns the ID of one. */
export function AuthField({ refId, address = '', value, onChange, ...others }: AuthFieldProps) {
  const rendered = useAssist((state) => state.rendered)
  const id = typeof value === 'string' ? value : ''
  if (id.includes('{{'))
    return (
      <TemplateField
        refId={refId}
        label={others.label ?? t('Connector auth')}
        hint={t('A template that returns the ID of a connector auth. Clear it to select one by name.')}
        error={others.error}
        value={id}
        onChange={(text) => onChange(text === '' ? null : text)}
      />
    )
  return (
    <AuthChoice
      {...others}
      value={id}
      address={async () => {
        if (!address.includes('{')) return address
        const place = { refId, field: 'config.url', kind: 'text', bare: false } as const
        return (await rendered(address, place).catch(() => null)) ?? ''
      }}
      onChange={(next) => onChange(next === '' ? null : next)}
    />
  )
}
