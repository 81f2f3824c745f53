/**
 * Finds templates like `{{ a.id }}`, where `a` is a `rest` step whose result is `{status, headers, body}`. They are
 * silently null; `a.body.id` was intended.
 */
import { say, type Said } from '../../../../shared/contract/base/message.ts'
import { hasForEach } from '../../../../shared/contract/step-types/parts/for-each.ts'
import type { Step } from '../../../../shared/contract/steps.ts'
import { type Data, getKey, isDictionary } from '@millrace/jinja/data'
import { isMethodOfDictionary, type MemberPlace, membersRead, TemplateError } from '@millrace/jinja'
import { isBareExpression, stepTemplates } from './templates-of.ts'
import { visitSteps } from './walk-steps.ts'
import type { RestMember } from '../model/compiled-step.ts'

/** The `rest` steps whose results have that shape; a list comes from a paginated one, or one with `for_each`. */
export function plainRestRefs(steps: readonly Step[]): ReadonlySet<string> {
  const visits = [...visitSteps(steps)]
  const plain = visits.filter(
    ({ step: { type, config } }) => type === 'rest' && !config['pagination'] && !hasForEach(config),
  )
  return new Set(plain.map(({ step }) => step.ref_id))
}

/** Properties of `rest` results that a step reads although they never exist; those with a `default` are intended. */
export function restMembersOf(step: Step, rests: ReadonlySet<string>): readonly RestMember[] {
  if (rests.size === 0) return NONE
  const found = stepTemplates(step).flatMap(({ field, source }) =>
    readOf(source, isBareExpression(field, source))
      .filter(({ owner, key }) => rests.has(owner) && !KEYS.has(key) && !isMethodOfDictionary(key))
      .map((member): RestMember => ({ ...member, field, source })),
  )
  return found.length === 0 ? NONE : found
}

/** `error` is set when a step fails and its `on_error` lets the flow continue. */
const KEYS: ReadonlySet<string> = new Set(['status', 'headers', 'body', 'error'])
const NONE: readonly RestMember[] = []

function readOf(source: string, expression: boolean): readonly MemberPlace[] {
  try {
    return membersRead(source, { expression })
  } catch (error) {
    if (error instanceof TemplateError) return []
    throw error
  }
}

/** The properties that were missing in this run although the body contains them. */
export function missedMembers(
  ref: string,
  members: readonly RestMember[],
  context: Readonly<Record<string, Data>>,
): Said[] {
  return members
    .filter((member) => standsInBody(member, context[member.owner]))
    .map((member) => {
      const { owner, key, field, line, column, source } = member
      const template = source.length > MOST_SHOWN ? `${source.slice(0, MOST_SHOWN)}…` : source
      const rest = say(
        '"{{template}}" reads "{{key}}" from the rest step "{{owner}}", whose result has status, headers and body, so it is null. The body has "{{same}}": write {{path}}',
        { template, key, owner, same: key, path: pathInBody(owner, key) },
      )
      return say('Step "{{ref}}", field "{{field}}", line {{line}}, column {{column}}: {{rest}}', {
        ref,
        field,
        line,
        column,
        rest,
      })
    })
}

function standsInBody({ key }: RestMember, result: Data | undefined): boolean {
  if (result === undefined || !isDictionary(result) || getKey(result, key) !== undefined) return false
  const body = getKey(result, 'body')
  return body !== undefined && isDictionary(body) && getKey(body, key) !== undefined
}

export const pathInBody = (owner: string, key: string): string =>
  /^[A-Za-z_]\w*$/.test(key) ? `${owner}.body.${key}` : `${owner}.body['${key.replaceAll("'", "\\'")}']`

const MOST_SHOWN = 80
