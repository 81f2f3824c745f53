export { toDictionary, toNames } from './csv-records.ts'
export { CsvError, type CsvOptions, delimiterNamed, parseCsv } from './parse-csv.ts'
export { delimiterOf, DELIMITERS, readCsvRows } from './read-csv.ts'
export { writeCsv } from './write-csv.ts'
