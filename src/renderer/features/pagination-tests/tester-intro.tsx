import { FlaskConical, Play, Sparkles, StepForward } from '../../lib/icons.tsx'
import type { LucideIcon } from '../../lib/icons.tsx'
import { ScrollRegion } from '../../components/screen/scroll-region.tsx'
import { Trans } from '../../lib/trans.tsx'
import { t } from '../../lib/i18n.ts'

/** The purpose of the screen, shown before the first test. */
export function TesterIntro() {
  return (
    <ScrollRegion label={t('Watch every page being fetched')} className="flex flex-col gap-5 p-6">
      <div className="flex flex-col gap-1">
        <h2 className="text-lg font-semibold">{t('Watch every page being fetched')}</h2>
        <p className="max-w-xl text-muted">
          {t(
            'Select a call and a configuration on the left and run it. Each request appears here as it’s sent, with its changes, waits and retries, and the reason why the list ended.',
          )}
        </p>
      </div>
      <ul className="grid max-w-2xl gap-3 sm:grid-cols-2">
        <Way icon={Play} name={t('Run')} text={t('Reads all pages, or up to the maximum you set.')} />
        <Way
          icon={StepForward}
          name={t('Step')}
          text={t('Reads one page and pauses, so you can inspect the next request before it’s sent.')}
        />
        <Way
          icon={FlaskConical}
          name={t('Dry run')}
          text={t('Sends the first request and shows the second without sending it.')}
        />
        <Way
          icon={Sparkles}
          name={t('Suggest')}
          text={t('Reads one response and suggests a matching configuration.')}
        />
      </ul>
      <div className="flex max-w-xl flex-col gap-1 text-muted">
        <h3 className="font-medium text-text">{t('How the configuration works')}</h3>
        <ul className="list-disc pl-5">
          <li>
            {t(
              'The first request is sent without pagination. The configuration applies from the second request on.',
            )}
          </li>
          <li>
            <Trans
              text="<code/> is 1 for that call and increases by one. <code2/> is the previous response."
              parts={{
                code: <code className="text-code">page</code>,
                code2: <code className="text-code">previous_request</code>,
              }}
            />
          </li>
          <li>
            <Trans
              text="<code/> finds the records in every response, including the first."
              parts={{ code: <code className="text-code">response_jsonpath</code> }}
            />
          </li>
        </ul>
      </div>
    </ScrollRegion>
  )
}

function Way({
  icon: Icon,
  name,
  text,
}: {
  readonly icon: LucideIcon
  readonly name: string
  readonly text: string
}) {
  return (
    <li className="flex items-start gap-2.5">
      <Icon size={16} aria-hidden className="mt-0.5 shrink-0 text-accent-text" />
      <p>
        <span className="font-medium">{name}</span>
        <span className="block text-muted">{text}</span>
      </p>
    </li>
  )
}
