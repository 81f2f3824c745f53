/** What a step type is made of: all that is known of it stands in its file, and everything else is derived. */
import type { z } from 'zod'
import type { Json } from '../../base/common.ts'
import type { Said } from '../../base/message.ts'
import type { English } from '../../base/english.ts'
import type { ListName } from '../../base/step-lists.ts'

export type Config = Readonly<Record<string, unknown>>
/** The field is named by its path: `config.url`. */
export type FieldProblem = readonly [field: string, reason: Said]
export type ChildListName = ListName | 'cases'

/** A control; absent, the schema says which. */
export type FieldKind =
  | 'template'
  | 'text'
  | 'lines'
  | 'number'
  | 'choice'
  | 'choices'
  | 'switch'
  | 'json'
  | 'dictionary'
  | 'record'
  | 'code'
  | 'auth'

/** How a field of a config is shown. `W` is a sentence: a string where it is written, for `t` where it is shown. */
export interface FieldFace<W = English> {
  readonly label: W
  readonly hint?: W
  readonly kind?: FieldKind
  /** Its strings aren't templates, although the kind of field usually has them. */
  readonly plain?: true
  readonly optional?: true
  /** Below the main fields, with the options that all steps have. */
  readonly option?: true
  /** Data, the same in every language; `REF_ID` is the step's. */
  readonly placeholder?: string
  /** A placeholder in words. */
  readonly example?: W
  /** Whether the form shows it, depending on the other fields. */
  readonly when?: (config: Config) => boolean
  /** Labels by value; a second sentence says what choosing it means. The empty value leaves the field out. */
  readonly options?: 'values' | Readonly<Record<string, W | readonly [label: W, hint: W]>>
  /** Shown in an empty config: of a template, which can then be emptied, or of a choice that it leaves out. */
  readonly initial?: string
  readonly rows?: number
  /** Without braces it is an expression, or the path of a field of the items. */
  readonly expression?: true
  readonly entryPath?: true
  /** What the step makes of a template; absent: a value that keeps its type. */
  readonly preview?: 'text' | 'body'
  /** JSON, or one template; digits are stored as a number. */
  readonly orText?: true
  readonly number?: true
  /**
   * What its templates read besides results: the item of each iteration, how far a trigger's list was read, or the
   * responses `job` and `poll` of an export; `request`: nothing but the request, before there is a run.
   */
  readonly reads?: 'item' | 'since' | 'job' | 'request'
  /** What a value of a dictionary is called. */
  readonly noun?: W
  /** The connector of a new auth. */
  readonly connector?: 'smtp' | 'imap' | 'sql'
}

/** A field with several faces has one at a time, by their `when`. */
type Faces<W, F = FieldFace<W>> = F | readonly F[]

type Values<S> = S extends z.ZodType<infer V> ? Exclude<V, null | undefined> : never
type Member<V> = V extends readonly (infer M)[] ? M : V
/** The values of an enum, or of a list of them. */
type Choice<V> = [V] extends [string] ? (string extends V ? never : V) : never
/** Every value of an enum has a label: one without doesn't compile. */
type FacesFor<S, W, C extends string = Choice<Member<Values<S>>>> = [C] extends [never]
  ? Faces<W>
  : Faces<
      W,
      FieldFace<W> & {
        readonly options: 'values' | { readonly [V in C]: W | readonly [label: W, hint: W] }
      }
    >

export interface Trigger<W = English> {
  /** What a run of it says that started it. */
  readonly starts: 'webhook' | 'schedule' | 'form' | 'list' | 'folder' | 'mail'
  /** At the flow's webhook URL. */
  readonly http?: true
  /** Looks every so often for what is new. */
  readonly polls?: true
  /** What the input of a test run is, and an example. */
  readonly hint: W
  readonly example?: (config: Config, t: Page['t']) => Readonly<Record<string, Json>>
  /** No step reads the input. */
  readonly unread?: true
}

/** The page's functions for sentences. */
export interface Page {
  readonly t: (sentence: string, values?: Readonly<Record<string, string | number>>) => string
  readonly plural: (count: number, noun: string) => string
  readonly weekday: (day: string) => string
}

export interface StepDefinition<C extends z.ZodObject = z.ZodObject, W = English> {
  readonly family: 'triggers' | 'calls' | 'control' | 'values' | 'files'
  readonly label: W
  /** What it is for, in one line. */
  readonly purpose: W
  /** Other names and purposes, for the search. */
  readonly words: W
  /** The name of a Lucide icon. */
  readonly icon: string
  /** The `ref_id` of a new one. */
  readonly refId: string
  /** Types without one are steps that run once. */
  readonly trigger?: Trigger<W>
  /** Repeats its steps; templates inside read `item` and `index`. */
  readonly loops?: true
  /** Earlier steps can read its URL as `callbacks.REF_ID.url`: of a call to the run, or of the page of a question. */
  readonly callback?: 'call' | 'question'
  /** The child lists that it has in addition to its config, and the label of `cases`. */
  readonly lists?: readonly ChildListName[]
  readonly casesLabel?: W
  readonly config: C
  /** Every field of the config, in the order of the form. */
  readonly fields: { readonly [K in keyof C['shape']]-?: FacesFor<C['shape'][K], W> }
  /** The form shows what the step makes of the available values. */
  readonly showsOutcome?: true
  /** What its result is, and where the config decides that. */
  readonly result: z.ZodType
  readonly resultOf?: (config: Config) => z.ZodType | undefined
  /** The config of a new one; required fields are left out, so that saving reports what is missing. */
  readonly first?: Config
  /** A complete one, to start from or to learn from. */
  readonly sample: {
    readonly config: Record<string, unknown>
    readonly cases?: { readonly label: string; readonly steps: [] }[]
  }
  /** Where its requests go: to its own URL, to a connector, or to a server that only its auth names. */
  readonly reaches?: (config: Config) => 'url' | 'connector' | 'auth' | null
  /** What the schema can't say about several fields, and about the labels of `cases`. */
  rules?(config: z.output<C>): readonly FieldProblem[]
  readonly caseRules?: (cases: readonly { readonly label: string }[]) => readonly FieldProblem[]
  /** What it does as configured, for its row in the list. */
  readonly summary: (config: Config, page: Page) => string
}

/** Sentences are strings here; whoever shows one has to translate it. */
export function stepType<C extends z.ZodObject>(definition: StepDefinition<C, string>): StepDefinition<C> {
  return definition as unknown as StepDefinition<C>
}

/** A value of the config in a summary. */
export function shown(value: unknown, fallback: string): string {
  if (value === undefined || value === null || value === '') return fallback
  return typeof value === 'string' ? value : JSON.stringify(value)
}
