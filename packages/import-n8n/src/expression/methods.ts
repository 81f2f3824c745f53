/** Names of the methods that n8n adds to values. A call with such a name is passed to them, whatever the value is. */
export const CARRIED_METHODS: ReadonlySet<string> = new Set(
  (
    'isEmpty isNotEmpty isBlank isNotBlank length toJsonString removeTags urlEncode urlDecode toInt toFloat toNumber ' +
    'isNumeric toBoolean quote parseJson base64Encode base64Decode toDateTime isEven isOdd floor ceil abs isInteger ' +
    'round first last pluck randomItem unique sum min max average compact smartJoin chunk renameKeys merge union ' +
    'difference intersection append keys values hasField removeField removeFieldsContaining keepFieldsContaining ' +
    'beginningOf endOfMonth extract isBetween isDst isInLast isWeekend format plus minus diffTo diffToNow'
  ).split(' '),
)

/** Those that the runtime of code steps lacks. */
export const LACKING_METHODS: ReadonlySet<string> = new Set(
  (
    'hash removeMarkdown toDate isUrl isDomain isEmail toTitleCase replaceSpecialChars toSentenceCase toSnakeCase ' +
    'extractEmail extractDomain extractUrl extractUrlPath'
  ).split(' '),
)
