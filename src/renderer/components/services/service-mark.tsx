import type { ReactNode } from 'react'
import { type Connector, readConnectorImageRoute } from '../../../shared/contract/connectors.ts'
import { CONNECTORS } from '../../api/lists.ts'
import { resource, useResource } from '../../api/resource.ts'
import { cx } from '../../lib/cx.ts'
import { Database, FlaskConical, Globe, HardDrive, type LucideIcon, Mail, Send } from '../../lib/icons.tsx'
import { brandOf } from './brands.ts'
import { monogramsOf } from './monograms.ts'

interface ServiceMarkProps {
  readonly connector: Connector
  /** Width and height in pixels. */
  readonly size?: number
}

/** A connector's own image, or the mark of its service, or two letters that no other service has in this color. */
export function ServiceMark({ connector, size = 20 }: ServiceMarkProps) {
  const { id, name, built_in: isBuiltIn, image_url: url } = connector
  const { data: image } = useResource(url === '' ? null : imageOf(id, url))
  const all = useResource(CONNECTORS).data
  const box = { width: size, height: size, fontSize: size * 0.46 }
  if (image !== null) {
    const source = `data:${image.content_type};base64,${image.base64}`
    return <img src={source} alt="" style={box} className="shrink-0 rounded-sm object-contain" />
  }
  if (isBuiltIn && name === 'Millrace')
    return <img src="/icon.svg" alt="" style={box} className="shrink-0 rounded-sm" />
  const brand = brandOf(name)
  if (brand !== undefined)
    return (
      <span
        aria-hidden
        className={TILE}
        style={{ ...box, color: `light-dark(${brand.light}, ${brand.dark})` }}
      >
        <svg viewBox="0 0 24 24" width={size * 0.62} height={size * 0.62} fill="currentColor">
          <path d={brand.path} />
        </svg>
      </span>
    )
  const Icon = isBuiltIn ? PROTOCOLS[name] : undefined
  if (Icon !== undefined)
    return (
      <span aria-hidden className={cx(TILE, 'text-muted')} style={box}>
        <Icon size={size * 0.66} />
      </span>
    )
  const { letters, hue } =
    monogramsOf(all?.includes(connector) === true ? all : [connector]).get(id) ?? UNKNOWN
  return (
    <span
      aria-hidden
      data-monogram={letters}
      className="grid shrink-0 place-items-center rounded-sm leading-none font-semibold"
      style={{
        ...box,
        background: `light-dark(oklch(0.92 0.055 ${hue}), oklch(0.33 0.065 ${hue}))`,
        color: `light-dark(oklch(0.38 0.11 ${hue}), oklch(0.9 0.07 ${hue}))`,
      }}
    >
      {letters}
    </span>
  )
}

/** The mark of the connector that a step names, otherwise its children. */
export function MarkOfStep({
  config,
  size,
  children,
}: Pick<ServiceMarkProps, 'size'> & { readonly config: unknown; readonly children?: ReactNode }) {
  const { connector_id: id } = (config ?? {}) as { readonly connector_id?: unknown }
  const connectors = useResource(typeof id === 'string' && id !== '' ? CONNECTORS : null).data
  const connector = connectors?.find((one) => one.id === id)
  return connector === undefined ? children : <ServiceMark connector={connector} {...(size && { size })} />
}

const TILE = 'grid shrink-0 place-items-center rounded-sm border border-line bg-raised'
const UNKNOWN = { letters: '?', hue: 240 }

/** Bundled connectors that call something other than a service. */
const PROTOCOLS: Readonly<Record<string, LucideIcon>> = {
  HTTP: Globe,
  IMAP: Mail,
  Playground: FlaskConical,
  'SQL database': Database,
  SFTP: HardDrive,
  SMTP: Send,
}

/** The URL is part of the key, because another URL is another image. */
const imageOf = (id: string, url: string) => {
  const image = resource(readConnectorImageRoute, { nouns: [], params: { id } })
  return { ...image, key: `${image.key} ${url}` }
}
