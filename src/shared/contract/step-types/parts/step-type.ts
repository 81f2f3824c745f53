/** The definition of a step type. Everything about a type is in its file or derived from it. */
import type { z } from 'zod'
import type { Json } from '../../base/common.ts'
import type { Said } from '../../base/message.ts'
import type { English } from '../../base/english.ts'
import type { ListName } from '../../base/step-lists.ts'

export type Config = Readonly<Record<string, unknown>>
/** The field is named by its path, such as `config.url`. */
export type FieldProblem = readonly [field: string, reason: Said]
export type ChildListName = ListName | 'cases'

/** A control of the form. If a field doesn't name one, it depends on the schema. */
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

/**
 * The appearance of a config field. `W` is the type of its sentences: strings in definitions, input for `t` on the
 * page.
 */
export interface FieldFace<W = English> {
  readonly label: W
  readonly hint?: W
  readonly kind?: FieldKind
  /** True if its strings aren't templates, although this kind of field usually has them. */
  readonly plain?: true
  readonly optional?: true
  /** True if it is shown below the main fields, with the options that all steps have. */
  readonly option?: true
  /** A placeholder that is data, the same in every language. `REF_ID` stands for the step's. */
  readonly placeholder?: string
  /** A placeholder in words. */
  readonly example?: W
  /** Whether the form shows it, depending on the other fields. */
  readonly when?: (config: Config) => boolean
  /** Labels by value. A second sentence explains the choice. The empty value leaves the field out. */
  readonly options?: 'values' | Readonly<Record<string, W | readonly [label: W, hint: W]>>
  /** The value shown if the config lacks the field, which is a template (which the user can then clear) or a choice. */
  readonly initial?: string
  readonly rows?: number
  /** True if a string without braces is an expression; with `entryPath`, it is the path of a field in the items. */
  readonly expression?: true
  readonly entryPath?: true
  /** What the step renders a template to. Defaults to a value that keeps its type. */
  readonly preview?: 'text' | 'body'
  /** `orText` allows JSON or one template; with `number`, digits are stored as a number. */
  readonly orText?: true
  readonly number?: true
  /**
   * Additional variables of its templates: the item of each iteration, a trigger's position in its list, or an
   * export's responses `job` and `poll`. `request` means that they read only the request, before there is a run.
   */
  readonly reads?: 'item' | 'since' | 'job' | 'request'
  /** The noun for a value of a dictionary. */
  readonly noun?: W
  /** The connector of a new auth. */
  readonly connector?: 'smtp' | 'imap' | 'sql'
}

/** A field with several faces shows one at a time, chosen by their `when`. */
type Faces<W, F = FieldFace<W>> = F | readonly F[]

type Values<S> = S extends z.ZodType<infer V> ? Exclude<V, null | undefined> : never
type Member<V> = V extends readonly (infer M)[] ? M : V
/** The values of an enum, or of a list of them. */
type Choice<V> = [V] extends [string] ? (string extends V ? never : V) : never
/** Every value of an enum needs a label. Without one, the code doesn't compile. */
type FacesFor<S, W, C extends string = Choice<Member<Values<S>>>> = [C] extends [never]
  ? Faces<W>
  : Faces<
      W,
      FieldFace<W> & {
        readonly options: 'values' | { readonly [V in C]: W | readonly [label: W, hint: W] }
      }
    >

export interface Trigger<W = English> {
  /** The kind of start that a run reports. */
  readonly starts: 'webhook' | 'schedule' | 'form' | 'list' | 'folder' | 'mail'
  /** True if it is called at the flow's webhook URL. */
  readonly http?: true
  /** True if it polls for new items. */
  readonly polls?: true
  /** A description of a test run's input. `example` returns an example of it. */
  readonly hint: W
  readonly example?: (config: Config, t: Page['t']) => Readonly<Record<string, Json>>
  /** True if no step reads the input. */
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
  /** The type's purpose, in one line. */
  readonly purpose: W
  /** Other names and purposes, for the search. */
  readonly words: W
  /** The name of a Lucide icon. */
  readonly icon: string
  /** The `ref_id` of a new step. */
  readonly refId: string
  /** Only for triggers. */
  readonly trigger?: Trigger<W>
  /** True if it repeats its steps, whose templates read `item` and `index`. */
  readonly loops?: true
  /**
   * For steps with a URL that earlier steps can read as `callbacks.REF_ID.url`: for a call to the run, or to
   * the page of a question.
   */
  readonly callback?: 'call' | 'question'
  /** The child lists in addition to the config. `casesLabel` is the label of `cases`. */
  readonly lists?: readonly ChildListName[]
  readonly casesLabel?: W
  readonly config: C
  /** Every field of the config, in the order of the form. */
  readonly fields: { readonly [K in keyof C['shape']]-?: FacesFor<C['shape'][K], W> }
  /** True if the form previews the step's result for the available values. */
  readonly showsOutcome?: true
  /** The schema of the result. If it depends on the config, `resultOf` returns it. */
  readonly result: z.ZodType
  readonly resultOf?: (config: Config) => z.ZodType | undefined
  /** The config of a new step. It leaves out required fields, so that saving reports what is missing. */
  readonly first?: Config
  /** A complete config, to start from or to learn from. */
  readonly sample: {
    readonly config: Record<string, unknown>
    readonly cases?: { readonly label: string; readonly steps: [] }[]
  }
  /** The target of its requests: its own URL, a connector, or a server that only its auth names. */
  readonly reaches?: (config: Config) => 'url' | 'connector' | 'auth' | null
  /** Rules for several fields that the schema can't express. `caseRules` are those for the labels of `cases`. */
  rules?(config: z.output<C>): readonly FieldProblem[]
  readonly caseRules?: (cases: readonly { readonly label: string }[]) => readonly FieldProblem[]
  /** A description of the configured step, for its row in the list. */
  readonly summary: (config: Config, page: Page) => string
}

/** Sentences are strings here. Code that shows one has to translate it. */
export function stepType<C extends z.ZodObject>(definition: StepDefinition<C, string>): StepDefinition<C> {
  return definition as unknown as StepDefinition<C>
}

/** A value of the config in a summary. */
export function shown(value: unknown, fallback: string): string {
  if (value === undefined || value === null || value === '') return fallback
  return typeof value === 'string' ? value : JSON.stringify(value)
}
