/** Lucide's icons by the first letter of their names. The build fills this table, with a file for each letter. */
export const ICON_SHELVES: Readonly<
  Record<string, () => Promise<{ readonly icons: Readonly<Record<string, { readonly body: string }>> }>>
> = {}
