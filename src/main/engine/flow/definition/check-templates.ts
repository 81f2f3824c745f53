import { advised, say, type Said, sentenceOf } from '../../../../shared/contract/base/message.ts'
import type { Step } from '../../../../shared/contract/steps.ts'
import type { Data } from '@millrace/jinja/data'
import { checkPaginationConfig, repairPagination } from '../../pagination/index.ts'
import { checkTemplate, namesRead, placeholdersIn, positionOf, repairTemplate } from '@millrace/jinja'
import {
  type DefinitionProblem,
  type FindMend,
  placeholderSentence,
  problemAt,
  type StepLocation,
  warningAt,
} from './problem.ts'
import { isRenderedLast, readsEntry, readsJob, readsRequest, readsSince } from './reach.ts'
import { isBareExpression, stepTemplates } from './templates-of.ts'

export interface NamesInReach {
  /** Every `ref_id` of the flow. */
  readonly refs: ReadonlySet<string>
  /** The `ref_id`s of the steps before it. */
  readonly earlier: ReadonlyMap<string, unknown>
  /** The `ref_id`s in other branches that run at the same time. */
  readonly apart: ReadonlySet<string>
  readonly envNames: ReadonlySet<string>
  readonly inLoop: boolean
  /** Whether the flow has steps with a URL. */
  readonly hasCallbacks: boolean
  /** Whether the flow begins with a trigger. */
  readonly hasTrigger: boolean
}

interface Found {
  readonly errors: DefinitionProblem[]
  readonly warnings: DefinitionProblem[]
}

/** Problems with the templates in a step's config: syntax errors, unknown filters and names. */
export function checkTemplates(step: Step, location: StepLocation, names: NamesInReach): Found {
  const found: Found = { errors: [], warnings: [] }
  for (const { field, source } of stepTemplates(step)) {
    const reach = namesAtField(step, field, names)
    const expression = isBareExpression(field, source)
    const problems = checkTemplate(source, { expression, names: reach.known })
    for (const problem of problems) {
      const { kind, line, column } = problem
      const reason = atPlace(line, column, advised(problem))
      const mend = repairedBy((held) => repairTemplate(held, { expression, names: reach.known }))
      if (kind !== 'unavailable')
        found.errors.push(problemAt(location, field, reason, { at: { line, column }, mend }))
      else found.warnings.push(warningAt(location, field, reason, { code: 'plugin_unavailable' }))
    }
    found.warnings.push(
      ...placeholdersIn(source).map((what) =>
        warningAt(location, field, placeholderSentence(what), { code: 'not_imported' }),
      ),
    )
    if (problems.length === 0)
      found.warnings.push(
        ...looseBraces(source, location, field, reach.known),
        ...readsAhead(source, expression, location, field, reach.later),
        ...readsAside(source, expression, location, field, names.apart),
      )
  }
  const pagination = paginationProblems(step, location, names)
  found.errors.push(...pagination.errors)
  found.warnings.push(...pagination.warnings)
  return found
}

/** The repair of a template, if the field has one. */
function repairedBy(
  repair: (held: string) => { readonly source: string; readonly isCertain: boolean } | null,
): FindMend {
  return (held) => {
    const repaired = typeof held === 'string' ? repair(held) : null
    return repaired === null ? null : { value: repaired.source, isCertain: repaired.isCertain }
  }
}

/** With one brace missing, `{ order.id }}` is plain text. */
// linear: every repetition has a limit, and none can be read in two ways
const LOOSE_BRACE =
  /(?<![{%#])\{[ \t]{0,9}([A-Za-z_]\w{0,99})(?=[^\w{}"':][^{}]{0,200}\}\}(?!\})|\}\}(?!\}))/g

function looseBraces(
  source: string,
  location: StepLocation,
  field: string,
  known: ReadonlySet<string>,
): DefinitionProblem[] {
  return [...source.matchAll(LOOSE_BRACE)]
    .filter(([, name = '']) => known.has(name))
    .map(({ index, 1: name = '' }) => {
      const { line, column } = positionOf(source, index, index)
      const value = `${source.slice(0, index)}{${source.slice(index)}`
      return warningAt(
        location,
        field,
        atPlace(line, column, say('a "{" is missing before "{{name}}", so this is text', { name })),
        { code: 'loose_brace', line, column, mend: () => ({ value, isCertain: true }) },
      )
    })
}

interface NamesAtField {
  readonly known: ReadonlySet<string>
  /** Steps whose results don't exist yet when the template is rendered. */
  readonly later: ReadonlySet<string>
}

/** A field that is rendered at the end of the run or of a loop's iteration can read the results of later steps. */
function namesAtField(
  step: Step,
  field: string,
  { refs, earlier, envNames, inLoop, hasCallbacks, hasTrigger }: NamesInReach,
): NamesAtField {
  const atTheEnd = isRenderedLast(step, field)
  const atTheDoor = readsRequest(step, field)
  const hasItem = inLoop || readsEntry(step, field)
  return {
    known: new Set([
      ...refs,
      ...envNames,
      'webhook',
      ...(hasTrigger && !atTheDoor ? ['trigger'] : []),
      ...(hasCallbacks && !atTheDoor ? ['callbacks'] : []),
      ...(readsSince(step, field) ? ['since'] : []),
      ...(readsJob(step, field) ? ['job', 'poll'] : []),
      ...(hasItem ? ['item', 'index'] : []),
    ]),
    later: atTheEnd
      ? new Set()
      : new Set([...refs].filter((ref) => !earlier.has(ref) && !(atTheDoor && ref === step.ref_id))),
  }
}

function readsAhead(
  source: string,
  expression: boolean,
  location: StepLocation,
  field: string,
  later: ReadonlySet<string>,
): DefinitionProblem[] {
  if (later.size === 0) return []
  return [...namesRead(source, { expression })]
    .filter((name) => later.has(name))
    .map((name) =>
      warningAt(location, field, say('uses "{{name}}" before it runs; move this step below it', { name }), {
        code: 'reads_ahead',
        mend: () => ({ move: location.refId, after: name }),
      }),
    )
}

function readsAside(
  source: string,
  expression: boolean,
  location: StepLocation,
  field: string,
  apart: ReadonlySet<string>,
): DefinitionProblem[] {
  if (apart.size === 0) return []
  return [...namesRead(source, { expression })]
    .filter((name) => apart.has(name))
    .map((name) =>
      warningAt(
        location,
        field,
        say(
          'uses "{{name}}" from another branch, which runs at the same time; read it after the parallel step',
          {
            name,
          },
        ),
        { code: 'reads_ahead' },
      ),
    )
}

function paginationProblems(
  { type, config }: Step,
  location: StepLocation,
  { refs, envNames }: NamesInReach,
): Found {
  const found: Found = { errors: [], warnings: [] }
  if (type !== 'rest' || !config['pagination']) return found
  const names = [...refs, ...envNames, 'webhook', 'item', 'index', 'auth']
  for (const problem of checkPaginationConfig(config['pagination'] as Data, names).problems) {
    const { severity, code, field, line, column } = problem
    const dot = field === '' || field.startsWith('[') ? '' : '.'
    const path = `config.pagination${dot}${field}`
    const rest = sentenceOf(problem)
    const at = line === null || column === null ? null : { line, column }
    const reason = at === null ? rest : atPlace(at.line, at.column, rest)
    const mend = repairedBy((held) => repairPagination(field, held, names))
    if (severity === 'error')
      found.errors.push(problemAt(location, path, reason, { ...(at && { at }), mend }))
    else found.warnings.push(warningAt(location, path, reason, { severity, code, line, column }))
  }
  return found
}

const atPlace = (line: number, column: number, rest: Said) =>
  say('line {{line}}, column {{column}}: {{rest}}', { line, column, rest })
