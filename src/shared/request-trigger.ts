/** Not in the definitions of all step types, because screens with lists don't load those. */
const AT_URL: readonly string[] = ['webhook', 'form_trigger']

/** The trigger of a saved flow at its webhook URL, even a disabled one; there is at most one. */
export const requestTrigger = <S extends { readonly type: string }>(steps: readonly S[]): S | undefined =>
  steps.find(({ type }) => AT_URL.includes(type))
