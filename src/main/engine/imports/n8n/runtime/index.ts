/** The code inserted before imported JavaScript so that it behaves in the sandbox as it does in n8n. */
import { BASE, FIELDS, ITEMS, RETURNED } from './base.ts'
import { COMPARISONS, CONDITIONS } from './conditions.ts'
import { EXTENSIONS } from './extensions.ts'
import { LISTS, MERGING, SUMMING } from './lists.ts'
import { TIMES } from './times.ts'
import { zoneChanges } from './zones.ts'

/** @param zone the time zone of the workflow's dates */
export function withRuntime(body: string, zone: string): string {
  const hasTimes =
    /\bDateTime\b|\$now\b|\$today\b|'dateTime'|"dateTime"|\bto(?:DateTime|Int|Float)\b|'(?:format|plus|minus|beginningOf|endOfMonth|extract|isBetween|isInLast|isWeekend|diffTo|diffToNow)'/.test(
      body,
    )
  const has = (pattern: RegExp) => pattern.test(body)
  const parts = [
    BASE,
    ...(has(/\$wrap\(|\$of\(|\$never\(/) ? [ITEMS] : []),
    ...(has(/\$returned\(|\$json_of\(/) ? [RETURNED] : []),
    ...(has(/\$extend\(|\$ifEmpty\b|\$min\b|\$max\b|\$average\b|\$not\b/) ? [EXTENSIONS] : []),
    hasTimes ? `${zonesOf(body, zone)}\n${TIMES}` : NO_TIMES,
    ...(has(/\$typed\(|\$json_object\(|\$meets\(|\$condition\(|\$truth\(/) ? [FIELDS] : []),
    ...(has(/\$meets\(/) ? [CONDITIONS] : []),
    ...(has(/\$compare\(/) ? [COMPARISONS] : []),
    ...(has(/\$by_position\(|\$by_fields\(|\$together\(/) ? [MERGING] : []),
    ...(has(/\$summarize\(/) ? [SUMMING] : []),
    ...(has(/\$sorted\(|\$split\(|\$gathered\(|\$at\b/) ? [LISTS] : []),
  ]
  return `// From n8n. Up to the line of dashes stands what n8n has and JavaScript alone does not.\n${parts.join('\n')}\n// ${'-'.repeat(70)}\n${body}`
}

const NO_TIMES = 'class DateTime {}'

/** The time zones named in the code; n8n supports all of them. */
function zonesOf(body: string, zone: string): string {
  const named = [...body.matchAll(/['"]([A-Z][A-Za-z_]+\/[\w+/-]+)['"]/g)].map((found) => found[1] ?? '')
  const tables = [...new Set([zone, ...named])].slice(0, MOST_ZONES).flatMap((name) => {
    const changes = zoneChanges(name)
    return changes === null ? [] : [`${JSON.stringify(name)}: ${JSON.stringify(changes)}`]
  })
  return `const $zones = { ${tables.join(', ')} }\nconst $zone_name = ${JSON.stringify(zone)}`
}

const MOST_ZONES = 6
