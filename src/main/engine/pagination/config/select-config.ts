import { evaluateCondition } from '@millrace/jinja'
import { type PageConfig, type PageContext, RENDER_OPTIONS } from '../model/page-config.ts'
import { inFieldOf } from '../model/pagination-error.ts'

/** The first configuration whose `when` is true. If there is none, the one without `when`, wherever it is, or null. */
export function selectConfig(configs: readonly PageConfig[], context: PageContext): PageConfig | null {
  const matching = configs.find(
    ({ when, fieldOf }) =>
      when !== null && inFieldOf(fieldOf('when'), () => evaluateCondition(when, context, RENDER_OPTIONS)),
  )
  return matching ?? configs.find(({ when }) => when === null) ?? null
}
