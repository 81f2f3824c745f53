/** The description and examples of a value in the API description: `z.int().meta(doc('Size in bytes.', 512))`. */
export const doc = <E>(description: string, ...examples: E[]) => ({ description, examples })
