import type { FormHTMLAttributes } from 'react'
import { useOneAtATime } from './use-one-at-a-time.ts'

type FormProps = Omit<FormHTMLAttributes<HTMLFormElement>, 'onSubmit'> & {
  readonly onSubmit: () => Promise<unknown> | void
}

/** Enter or the submit button submits it, but not again until `onSubmit` has finished. */
export function Form({ onSubmit, ...rest }: FormProps) {
  const submit = useOneAtATime(onSubmit)
  return (
    <form
      {...rest}
      onSubmit={(event) => {
        event.preventDefault()
        void submit()
      }}
    />
  )
}
