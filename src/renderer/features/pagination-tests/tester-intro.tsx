import { FlaskConical, Play, Sparkles, StepForward } from 'lucide-react'
import type { LucideIcon } from 'lucide-react'

/** What the screen is for, before the first test. */
export function TesterIntro() {
  return (
    <div className="flex min-h-0 flex-1 flex-col gap-5 overflow-auto p-6">
      <div className="flex flex-col gap-1">
        <h2 className="text-lg font-semibold">See every page being fetched</h2>
        <p className="max-w-xl text-muted">
          Choose a call and a configuration at the left and run it. Each request appears here as it is sent,
          with what changed since the one before, its waits and retries, and the reason why the list ended.
        </p>
      </div>
      <ul className="grid max-w-2xl gap-3 sm:grid-cols-2">
        <Way icon={Play} name="Run" text="Reads all pages, or as many as you wish for." />
        <Way
          icon={StepForward}
          name="Step"
          text="Reads one page and waits: look at the next request before it is sent."
        />
        <Way
          icon={FlaskConical}
          name="Dry run"
          text="Sends the first request and shows the second without sending it."
        />
        <Way
          icon={Sparkles}
          name="Suggest"
          text="Reads one response and writes the configuration that fits it."
        />
      </ul>
      <div className="flex max-w-xl flex-col gap-1 text-muted">
        <h3 className="font-medium text-text">How a configuration is read</h3>
        <ul className="list-disc pl-5">
          <li>The first request is sent without any paging; the configuration applies from the second on.</li>
          <li>
            <code className="text-sm">page</code> is 1 there and grows by one;{' '}
            <code className="text-sm">previous_request</code> is the response before.
          </li>
          <li>
            <code className="text-sm">response_jsonpath</code> finds the records in every response, the first
            included.
          </li>
        </ul>
      </div>
    </div>
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
