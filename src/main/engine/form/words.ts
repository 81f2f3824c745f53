/**
 * The texts of the pages that Millrace shows to people, in the languages of the app. All other texts are the
 * authors'.
 */

export type Language = 'en' | 'de'

/** The first of the browser's languages in which the pages exist. */
export function languageOf(acceptLanguage: string | undefined): Language {
  const wanted = (acceptLanguage ?? '').slice(0, 200).toLowerCase().split(',')
  const first = wanted.map((one) => one.trim().slice(0, 2)).find((one) => one === 'en' || one === 'de')
  return first === 'de' ? 'de' : 'en'
}

export interface Words {
  readonly send: string
  readonly required: string
  readonly choose: string
  readonly thanks: string
  readonly received: string
  readonly answered: string
  /** Used for a question that can't be answered any longer. */
  readonly closed: { readonly [S in Closed]: readonly [title: string, text: string] }
  readonly errors: string
  readonly leaveEmpty: string
  readonly looksLikeSpam: string
  readonly faults: { readonly [F in Fault]: string }
  readonly refusals: Readonly<Record<string, readonly [title: string, text: string]>>
  readonly refused: readonly [title: string, text: string]
  /** The limit for files in a field; `most` is a size. */
  readonly eachAtMost: { readonly one: string; readonly several: string }
  readonly chooseAgain: string
}

/** Replaces `{{names}}` in the text with values. */
export function fill(text: string, values: Readonly<Record<string, string>>): string {
  return text.replaceAll(/\{\{(\w+)\}\}/g, (found, name: string) => values[name] ?? found)
}

/** A size such as `2.5 MB`. */
export function sizeIn(language: Language, bytes: number): string {
  const [value, unit] = bytes < 1_048_576 ? [bytes / 1_024, 'kB'] : [bytes / 1_048_576, 'MB']
  return `${new Intl.NumberFormat(language, { maximumFractionDigits: 1 }).format(value)} ${unit}`
}

export type Closed = 'unknown' | 'answered' | 'expired' | 'over'

export type Fault =
  | 'missing'
  | 'too_long'
  | 'number'
  | 'email'
  | 'date'
  | 'option'
  | 'switch'
  | 'text'
  | 'one_line'
  | 'file'
  | 'one_file'
  | 'many_files'
  | 'file_type'
  | 'file_size'
  | 'unknown'

/** Shown if the token is missing, or isn't the flow's. */
const INCOMPLETE = {
  en: [
    'This link is incomplete',
    'Ask whoever sent it for the complete link, and copy it without cutting anything off.',
  ],
  de: [
    'Dieser Link ist unvollständig',
    'Bitten Sie den Absender um den vollständigen Link und kopieren Sie ihn, ohne etwas abzuschneiden.',
  ],
} as const

export const WORDS: { readonly [L in Language]: Words } = {
  en: {
    send: 'Send',
    required: 'required',
    choose: 'Please choose',
    thanks: 'Thank you',
    received: 'Your answers have been received.',
    answered: 'Your answer has been received. You can close this page.',
    closed: {
      unknown: ['Question not found', 'Copy the complete link from the message you received.'],
      answered: ['Already answered', 'This question has been answered. You don’t need to do anything.'],
      expired: ['Too late', 'This question can no longer be answered.'],
      over: ['No longer needed', 'This question has been withdrawn. You don’t need to do anything.'],
    },
    errors: 'Please check the marked fields.',
    leaveEmpty: 'Leave this field empty',
    looksLikeSpam:
      'This looks like spam. If you are a person, clear the field above the button and send the form again.',
    faults: {
      missing: 'Please fill in this field.',
      too_long: 'This is too long.',
      number: 'Please enter a number, such as 12.5.',
      email: 'Please enter an email address, such as ann@example.com.',
      date: 'Please enter a date, such as 2030-01-31.',
      option: 'Please choose one of the options.',
      switch: 'Must be true or false.',
      text: 'Must be text without control characters.',
      one_line: 'Please write this on one line.',
      file: 'Please choose a file.',
      one_file: 'Please choose a single file.',
      many_files: 'Please choose at most {{files}} files.',
      file_type: 'Please choose a file of one of these types: {{types}}.',
      file_size: 'Please choose a file of at most {{most}}.',
      unknown: "The form doesn't have this field.",
    },
    refusals: {
      unauthorized: INCOMPLETE.en,
      forbidden: INCOMPLETE.en,
      biz_logic: [
        'Closed for now',
        "This form doesn't accept answers at the moment. Please try again later.",
      ],
      rate_limit: ['Too many attempts', 'Please wait a few minutes, then try again.'],
      too_large: ['Too much text', 'Please go back and shorten your answers.'],
      files_too_large: [
        'Too large',
        'Please go back and choose smaller files: at most {{most}} for everything together.',
      ],
      timeout: ['Received', 'Your answers have been received. What happens next takes a little longer.'],
      unavailable: [
        "This can't be saved right now",
        'Please go back and try again in a moment. Nothing was saved.',
      ],
    },
    refused: [
      'Something went wrong',
      'Please go back and try again. If that doesn’t help, contact whoever sent you the link.',
    ],
    eachAtMost: { one: 'At most {{most}}.', several: 'Up to {{files}} files, at most {{most}} each.' },
    chooseAgain: 'Please choose {{names}} again.',
  },
  de: {
    send: 'Senden',
    required: 'Pflichtfeld',
    choose: 'Bitte wählen',
    thanks: 'Vielen Dank',
    received: 'Ihre Angaben sind angekommen.',
    answered: 'Ihre Antwort ist angekommen. Sie können diese Seite schließen.',
    closed: {
      unknown: [
        'Frage nicht gefunden',
        'Kopieren Sie den vollständigen Link aus der Nachricht, die Sie bekommen haben.',
      ],
      answered: ['Bereits beantwortet', 'Diese Frage ist schon beantwortet. Sie müssen nichts mehr tun.'],
      expired: ['Zu spät', 'Diese Frage kann nicht mehr beantwortet werden.'],
      over: ['Nicht mehr nötig', 'Diese Frage wurde zurückgezogen. Sie müssen nichts mehr tun.'],
    },
    errors: 'Bitte prüfen Sie die markierten Felder.',
    leaveEmpty: 'Dieses Feld leer lassen',
    looksLikeSpam:
      'Das sieht nach Spam aus. Wenn Sie ein Mensch sind, leeren Sie das Feld über der Schaltfläche und senden Sie noch einmal.',
    faults: {
      missing: 'Bitte füllen Sie dieses Feld aus.',
      too_long: 'Das ist zu lang.',
      number: 'Bitte geben Sie eine Zahl ein, zum Beispiel 12.5.',
      email: 'Bitte geben Sie eine E-Mail-Adresse ein, zum Beispiel ann@example.com.',
      date: 'Bitte geben Sie ein Datum ein, zum Beispiel 2030-01-31.',
      option: 'Bitte wählen Sie eine der Optionen.',
      switch: 'Muss true oder false sein.',
      text: 'Muss Text ohne Steuerzeichen sein.',
      one_line: 'Bitte schreiben Sie das in eine Zeile.',
      file: 'Bitte wählen Sie eine Datei.',
      one_file: 'Bitte wählen Sie nur eine Datei.',
      many_files: 'Bitte wählen Sie höchstens {{files}} Dateien.',
      file_type: 'Bitte wählen Sie eine Datei von einem dieser Typen: {{types}}.',
      file_size: 'Bitte wählen Sie eine Datei mit höchstens {{most}}.',
      unknown: 'Dieses Feld gibt es im Formular nicht.',
    },
    refusals: {
      unauthorized: INCOMPLETE.de,
      forbidden: INCOMPLETE.de,
      biz_logic: [
        'Zurzeit geschlossen',
        'Dieses Formular nimmt zurzeit keine Angaben entgegen. Bitte versuchen Sie es später noch einmal.',
      ],
      rate_limit: [
        'Zu viele Versuche',
        'Bitte warten Sie ein paar Minuten und versuchen Sie es dann noch einmal.',
      ],
      too_large: ['Zu viel Text', 'Bitte gehen Sie zurück und kürzen Sie Ihre Angaben.'],
      files_too_large: [
        'Zu groß',
        'Bitte gehen Sie zurück und wählen Sie kleinere Dateien: alles zusammen darf höchstens {{most}} haben.',
      ],
      timeout: ['Angekommen', 'Ihre Angaben sind angekommen. Alles Weitere dauert etwas länger.'],
      unavailable: [
        'Das kann gerade nicht gespeichert werden',
        'Bitte gehen Sie zurück und versuchen Sie es gleich noch einmal. Es wurde nichts gespeichert.',
      ],
    },
    refused: [
      'Das hat nicht geklappt',
      'Bitte gehen Sie zurück und versuchen Sie es noch einmal. Hilft das nicht, wenden Sie sich an den Absender des Links.',
    ],
    eachAtMost: { one: 'Höchstens {{most}}.', several: 'Bis zu {{files}} Dateien, je höchstens {{most}}.' },
    chooseAgain: 'Bitte wählen Sie {{names}} noch einmal aus.',
  },
}
