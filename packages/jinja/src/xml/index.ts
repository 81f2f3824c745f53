export { decodeXml } from './decode-xml.ts'
export { parseXml, XmlError } from './parse-xml.ts'
export { writeXml, XmlWriteError } from './write-xml.ts'
