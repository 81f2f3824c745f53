import { advised, say, type Said, sentenceOf } from '../../../../shared/contract/base/message.ts'
import type { Step } from '../../../../shared/contract/steps.ts'
import type { Data } from '@millrace/jinja/data'
import { checkPaginationConfig } from '../../pagination/index.ts'
import { checkTemplate, namesRead, placeholdersIn } from '@millrace/jinja'
import {
  type DefinitionProblem,
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
  /** Those of the previous steps. */
  readonly earlier: ReadonlyMap<string, unknown>
  /** Those in other branches that run at the same time. */
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

/** What is wrong with the templates in a step's config: syntax, unknown filters and names. */
export function checkTemplates(step: Step, location: StepLocation, names: NamesInReach): Found {
  const found: Found = { errors: [], warnings: [] }
  for (const { field, source } of stepTemplates(step)) {
    const reach = namesAtField(step, field, names)
    const expression = isBareExpression(field, source)
    const problems = checkTemplate(source, { expression, names: reach.known })
    for (const problem of problems) {
      const { kind, line, column } = problem
      const reason = atPlace(line, column, advised(problem))
      if (kind !== 'unavailable') found.errors.push(problemAt(location, field, reason))
      else found.warnings.push(warningAt(location, field, reason, { code: 'plugin_unavailable' }))
    }
    found.warnings.push(
      ...placeholdersIn(source).map((what) =>
        warningAt(location, field, placeholderSentence(what), { code: 'not_imported' }),
      ),
    )
    if (problems.length === 0)
      found.warnings.push(
        ...readsAhead(source, expression, location, field, reach.later),
        ...readsAside(source, expression, location, field, names.apart),
      )
  }
  const pagination = paginationProblems(step, location, names)
  found.errors.push(...pagination.errors)
  found.warnings.push(...pagination.warnings)
  return found
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
          'uses "{{name}}" of another branch, which runs at the same time; read it after the parallel step',
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
    const reason = line === null || column === null ? rest : atPlace(line, column, rest)
    if (severity === 'error') found.errors.push(problemAt(location, path, reason))
    else found.warnings.push(warningAt(location, path, reason, { severity, code, line, column }))
  }
  return found
}

const atPlace = (line: number, column: number, rest: Said) =>
  say('line {{line}}, column {{column}}: {{rest}}', { line, column, rest })
