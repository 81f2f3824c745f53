/** A strict reader of Prometheus' text format 0.0.4: throws on everything that the format doesn't allow. */

export interface Family {
  readonly help: string
  readonly type: string
  /** Keyed by name and sorted labels, as `name{a="b"}`. */
  readonly samples: ReadonlyMap<string, number>
}

const NAME = '[a-zA-Z_:][a-zA-Z0-9_:]*'
const LABEL = '[a-zA-Z_][a-zA-Z0-9_]*="(?:[^"\\\\\\n]|\\\\[\\\\"n])*"'
const SAMPLE = new RegExp(
  `^(${NAME})(?:\\{(${LABEL}(?:,${LABEL})*)\\})? (\\+Inf|-Inf|NaN|-?\\d+(?:\\.\\d+)?(?:e[+-]?\\d+)?)$`,
)
const HELP = new RegExp(`^# HELP (${NAME}) ((?:[^\\\\\\n]|\\\\[\\\\n])+)$`)
const TYPE = new RegExp(`^# TYPE (${NAME}) (counter|gauge|histogram)$`)

export function parseExposition(text: string): ReadonlyMap<string, Family> {
  if (!text.endsWith('\n')) throw new Error('the last line has no line feed')
  const lines = text.slice(0, -1).split('\n')
  const families = new Map<string, { help: string; type: string; samples: Map<string, number> }>()
  let name = ''
  for (let at = 0; at < lines.length; at++) {
    const line = lines[at] ?? ''
    const help = HELP.exec(line)
    if (help !== null) {
      name = help[1] ?? ''
      const type = TYPE.exec(lines[++at] ?? '')
      if (type?.[1] !== name) throw new Error(`no TYPE follows the HELP of ${name}`)
      if (families.has(name)) throw new Error(`${name} is there twice`)
      families.set(name, { help: help[2] ?? '', type: type[2] ?? '', samples: new Map() })
      continue
    }
    const [, sampleName = '', labels = '', value = ''] = SAMPLE.exec(line) ?? []
    const family = families.get(name)
    if (family === undefined || sampleName === '') throw new Error(`not a sample: ${line}`)
    const suffix = sampleName.slice(name.length)
    const isAllowed = family.type === 'histogram' ? /^_(bucket|sum|count)$/.test(suffix) : suffix === ''
    if (!sampleName.startsWith(name) || !isAllowed) throw new Error(`${sampleName} is not of ${name}`)
    const pairs = labels.match(new RegExp(LABEL, 'g')) ?? []
    const key = pairs.length === 0 ? sampleName : `${sampleName}{${pairs.toSorted().join(',')}}`
    if (family.samples.has(key)) throw new Error(`${key} is there twice`)
    family.samples.set(key, value === '+Inf' ? Infinity : Number(value))
  }
  for (const [of, family] of families) {
    if (family.type === 'histogram') checkHistogram(of, family.samples)
    if (family.type === 'counter' && !of.endsWith('_total'))
      throw new Error(`counter ${of} must end in _total`)
  }
  return families
}

/** Buckets grow and end with `+Inf`, which is the count. */
function checkHistogram(name: string, samples: ReadonlyMap<string, number>): void {
  let [bound, count] = [-Infinity, 0]
  for (const [key, value] of samples) {
    const le = new RegExp(`^${name}_bucket\\{le="([^"]+)"\\}$`).exec(key)?.[1]
    if (le === undefined) continue
    const next = le === '+Inf' ? Infinity : Number(le)
    if (!(next > bound) || value < count) throw new Error(`${key} is out of order`)
    ;[bound, count] = [next, value]
  }
  if (bound !== Infinity) throw new Error(`${name} has no bucket +Inf`)
  if (samples.get(`${name}_count`) !== count) throw new Error(`${name}_count isn't the last bucket`)
  if (!samples.has(`${name}_sum`)) throw new Error(`${name} has no sum`)
}
