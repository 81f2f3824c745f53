import type { Data } from '@millrace/jinja/data'

/** The same time in the format of MySQL and MariaDB; null if it isn't a time with a zone. */
export function plainTime(value: Data): string | null {
  const [, fraction = ''] = (typeof value === 'string' ? ZONED.exec(value) : null) ?? [null]
  const ms = typeof value === 'string' && ZONED.test(value) ? Date.parse(value) : Number.NaN
  if (Number.isNaN(ms)) return null
  return `${new Date(ms).toISOString().slice(0, 19).replace('T', ' ')}${fraction}`
}

const ZONED = /^\d{4}-\d\d-\d\d[T ]\d\d:\d\d:\d\d(\.\d{1,6})?(?:Z|[+-]\d\d:\d\d)$/
