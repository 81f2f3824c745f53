/** Schemas used in the configs of several step types. */
import { z } from 'zod'
import { jsonObject, text } from '../base/common.ts'

export const template = text(65_536)
/** A number, or a template that renders to one. */
export const numeric = z.union([z.number(), template])
export const flag = z.boolean()
/** An object whose values are templates, or one template that yields an object. */
export const dictionary = z.union([jsonObject, template])
