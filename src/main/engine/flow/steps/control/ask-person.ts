import { say } from '../../../../../shared/contract/base/message.ts'
import { type Data, type Dictionary, dictionaryOf, getKey, isDictionary } from '@millrace/jinja/data'
import type { CompiledStep, StepRunner, StepScope } from '../../model/compiled-step.ts'
import type { AskedQuestion, QuestionEnd, QuestionPage } from '../../model/ports.ts'
import { RunHalt } from '../../model/run-halt.ts'
import { readDeadline } from '../support/deadline.ts'
import { oneLine, readAddresses, readFrom } from '../support/mail-fields.ts'
import { atField } from '../support/read-input.ts'
import { findAuth } from '../support/step-auth.ts'

type Ask = CompiledStep<'ask_person'>

/**
 * Asks a person and waits for the answer. The run is parked meanwhile and occupies no worker; the answer is stored with
 * the question, so that it isn't lost if Millrace is killed before the run continues.
 */
export const askPerson: StepRunner<'ask_person'> = {
  outside: true,
  async run(step, scope) {
    const asked = saved(scope, 'id') ?? (await ask(step, scope))
    scope.showInput(getKey(asked, 'shown') ?? null)
    if (!scope.savedProgress.includes(SENT)) await sendLink(step, asked, scope)
    const output = saved(scope, 'choice') ?? (await awaitAnswer(asked, scope))
    scope.publish(output)
    const { cases, default: otherwise } = step.children
    const chosen = cases.find(({ label }) => label === getKey(output, 'choice'))
    await scope.runChildren(getKey(output, 'timed_out') === true ? otherwise : (chosen?.steps ?? []))
    return output
  },
}

/** The saved progress of the step, so that a resumed run doesn't ask again and knows the answer. */
function saved({ savedProgress }: StepScope, key: 'id' | 'choice'): Dictionary | null {
  for (const part of savedProgress) if (isDictionary(part) && getKey(part, key) !== undefined) return part
  return null
}

async function ask(step: Ask, scope: StepScope): Promise<Dictionary> {
  const { ports, runId, key, iteration } = scope
  const page = readPage(step, scope)
  const question = {
    runId,
    stepKey: key,
    refId: step.ref,
    iteration,
    page,
    expiresAt: readDeadline('timeout_hours', step.config.timeout_hours, scope),
  }
  const asked = await atField(scope, 'config.question', ports.questions.ask(question))
  const part = toPart(asked, page)
  scope.saveProgress(part)
  await scope.commit()
  return part
}

/** The question of the first attempt as it is saved, even if its templates would render differently now. */
function toPart({ id, url, isPublic, expiresAt }: AskedQuestion, page: QuestionPage): Dictionary {
  return dictionaryOf([
    ['id', id],
    ['url', url],
    ['is_public', isPublic],
    ['expires_at', expiresAt],
    [
      'shown',
      dictionaryOf([
        ['question', page.title],
        ['details', page.details],
        ['choices', page.choices],
        ['expires_at', new Date(expiresAt).toISOString()],
      ]),
    ],
  ])
}

function readPage({ config, children }: Ask, scope: StepScope): QuestionPage {
  const title = oneLine(scope.renderText('config.question', config.question)).trim()
  if (title === '') throw scope.fail('validation', say('"question" is empty'), { field: 'config.question' })
  return {
    title: title.slice(0, LONGEST_TITLE),
    details: scope.renderText('config.details', config.details).slice(0, LONGEST_DETAILS),
    logo: config.logo_file_id === '' ? null : { fileId: config.logo_file_id, alt: config.logo_alt },
    fields: config.fields,
    choices: children.cases.length === 0 ? null : children.cases.map(({ label }) => label),
  }
}

/** The Message-ID allows a repeated email after a crash to be recognized. */
async function sendLink({ config, ref }: Ask, asked: Dictionary, scope: StepScope): Promise<void> {
  const auth = await findAuth(config, null, scope)
  if (auth === null) return
  const to = readAddresses('to', config.to, scope)
  if (to.length === 0)
    throw scope.fail('validation', say('"to" is empty; add at least one email address'), {
      field: 'config.to',
    })
  const shown = getKey(asked, 'shown') as Dictionary
  const [title, details, url] = [textAt(shown, 'question'), textAt(shown, 'details'), textAt(asked, 'url')]
  const mail = {
    auth,
    messageId: `<${[scope.runId, ref, ...scope.iteration].join('.')}@millrace>`,
    from: readFrom(config, auth.username, scope),
    to,
    cc: [],
    bcc: [],
    replyTo: null,
    subject: oneLine(scope.renderText('config.subject', config.subject)) || title,
    text: [title, details, url].filter((part) => part !== '').join('\n\n'),
    html: '',
    attachments: [],
  }
  await atField(scope, 'config.auth_id', scope.ports.sendMail(mail, scope.signal))
  if (getKey(asked, 'is_public') !== true) scope.warn('local_link', LOCAL_LINK)
  scope.saveProgress(SENT)
  await scope.commit()
}

async function awaitAnswer(asked: Dictionary, scope: StepScope): Promise<Dictionary> {
  const { questions } = scope.ports
  const [id, expiresAt] = [textAt(asked, 'id'), Number(getKey(asked, 'expires_at'))]
  for (;;) {
    const end = await questions.settle(id)
    if (end !== null) {
      const output = toOutput(end)
      scope.saveProgress(output)
      return output
    }
    if (scope.resumable)
      throw new RunHalt(
        'parked',
        say('Waits for an answer until {{moment}}', { moment: new Date(expiresAt).toISOString() }),
        expiresAt,
        {
          kind: 'question',
          id,
        },
      )
    await scope.waitUncounted(() => questions.wait(id, scope.signal))
  }
}

function textAt(dictionary: Dictionary, key: string): string {
  const value = getKey(dictionary, key)
  return typeof value === 'string' ? value : ''
}

function toOutput(end: QuestionEnd): Dictionary {
  const isAnswered = end.kind === 'answered'
  return dictionaryOf([
    ['choice', isAnswered ? end.choice : null],
    ['fields', isAnswered ? end.fields : dictionaryOf([])],
    ['answered_at', isAnswered ? new Date(end.at).toISOString() : null],
    ['timed_out', !isAnswered],
  ] satisfies [string, Data][])
}

const LOCAL_LINK = say(
  'The link in the email works only on this computer, because there was no public URL; set one up under Settings, Tunnel',
)
const SENT = 'sent'
const LONGEST_TITLE = 300
const LONGEST_DETAILS = 10_000
