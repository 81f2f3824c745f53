/** What the description of the API says of a value, and examples: `z.int().meta(doc('Size in bytes.', 512))`. */
export const doc = <E>(description: string, ...examples: E[]) => ({ description, examples })
