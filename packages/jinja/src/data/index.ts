export { dataDifference, writePath } from './data-difference.ts'
export {
  charsetByMark,
  createDecoder,
  decodeFile,
  decodeText,
  isUndecodable,
  UnknownCharsetError,
} from './decode-text.ts'
export { cloneData, equalData, estimateBytes } from './deep.ts'
export { hashData, hashNumber, identityOf } from './hash.ts'
export { HeaderMap } from './header-map.ts'
export {
  isJsonText,
  JsonError,
  type JsonLimits,
  LARGE_TEXT,
  OWN_JSON_LIMITS,
  parseJson,
  parseLargeJson,
  writeJson,
} from './json.ts'
export { sameness } from './sameness.ts'
export {
  attachLists,
  detachLists,
  storedList,
  type StoredMark,
  storedMarkOf,
  type StoredPlace,
} from './stored-list.ts'
export { DAY_MS, type TimeZone, timeZone } from './time-zone.ts'
export {
  type Data,
  type DataMap,
  type Dictionary,
  dictionaryOf,
  entriesOf,
  Float,
  getKey,
  isDictionary,
  isList,
  keysOf,
  MANY_KEYS,
} from './value.ts'
