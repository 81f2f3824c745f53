/** What the API description says about a value, with examples, as in `z.int().meta(doc('Size in bytes.', 512))`. */
export const doc = <E>(description: string, ...examples: E[]) => ({ description, examples })
