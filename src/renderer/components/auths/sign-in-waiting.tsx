import { ExternalLink } from '../../lib/icons.tsx'
import { t } from '../../lib/i18n.ts'
import { Trans } from '../../lib/trans.tsx'
import { safeHref } from '../../lib/urls.ts'

/** Shown while the provider's page is open, with a link in case the browser didn't open it. */
export function SignInWaiting({ url }: { readonly url: string }) {
  return (
    <p className="text-muted">
      <Trans
        text="Waiting for sign-in… <link/>"
        parts={{
          link: (
            <a
              href={safeHref(url)}
              target="_blank"
              rel="noopener noreferrer"
              className="inline-flex items-center gap-1 text-accent-text underline"
            >
              {t('Open the sign-in page yourself')}
              <ExternalLink size={12} aria-hidden />
            </a>
          ),
        }}
      />
    </p>
  )
}
