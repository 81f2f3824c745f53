/** Steps that make values of values. */
import { z } from 'zod'
import { dictionary } from './fields.ts'

export const set = z.strictObject({ values: dictionary.default({}) })
