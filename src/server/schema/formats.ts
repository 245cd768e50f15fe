/**
 * The formats that are checked, each in linear time. A format that is not listed accepts every text.
 *
 * @see https://json-schema.org/draft/2020-12/json-schema-validation#section-7.3
 */
import type { JsonSchema } from '../../protocol/content.ts'
import { type Fault, quote } from './assertions.ts'
import { isIpv4, isIpv6, isUri, isUriReference } from './format-uri.ts'

type Format = (text: string) => boolean

/** Longer texts have none of these formats. In UTF-16 code units. */
const MAX_EMAIL = 320
const MAX_HOSTNAME = 253
const MAX_REGEX = 4096
const MAX_DURATION = 256

export const FORMATS: Readonly<Record<string, Format>> = {
  date: isDate,
  time: isTime,
  'date-time': (text) => {
    const separator = text[10]
    return (
      (separator === 'T' || separator === 't' || separator === ' ') &&
      isDate(text.slice(0, 10)) &&
      isTime(text.slice(11))
    )
  },
  duration: (text) => text.length <= MAX_DURATION && DURATION.test(text),
  email: isEmail,
  hostname: isHostname,
  ipv4: isIpv4,
  ipv6: isIpv6,
  uri: isUri,
  'uri-reference': isUriReference,
  'uri-template': isUriTemplate,
  url: (text) => /^(?:https?|ftp):\/\/./i.test(text) && !/\s/.test(text) && URL.canParse(text),
  uuid: (text) => UUID.test(text),
  regex: isRegex,
  'json-pointer': isJsonPointer,
  'relative-json-pointer': (text) => {
    const [, rest] = /^(?:0|[1-9]\d{0,15})(#$|.*$)/s.exec(text) ?? []
    return rest !== undefined && (rest === '#' || isJsonPointer(rest))
  },
}

const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i

/** @see https://www.rfc-editor.org/rfc/rfc3339#appendix-A */
const DURATION =
  /^P(?:\d+W|(?:\d+Y(?:\d+M(?:\d+D)?)?|\d+M(?:\d+D)?|\d+D)?(?:T(?:\d+H(?:\d+M(?:\d+S)?)?|\d+M(?:\d+S)?|\d+S))?)(?<!P)$/

const DAYS = [31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31]

function isDate(text: string): boolean {
  const [, year, month, day] = /^(\d{4})-(\d\d)-(\d\d)$/.exec(text)?.map(Number) ?? []
  if (year === undefined || month === undefined || day === undefined) return false
  const isLeap = year % 4 === 0 && (year % 100 !== 0 || year % 400 === 0)
  const days = month === 2 && isLeap ? 29 : (DAYS[month - 1] ?? 0)
  return day >= 1 && day <= days
}

/** A leap second is allowed at 23:59:60 UTC only. */
function isTime(text: string): boolean {
  const found = /^(\d\d):(\d\d):(\d\d)(?:\.\d{1,32})?(?:z|([+-])(\d\d):(\d\d))$/i.exec(text)
  if (found === null) return false
  const [, hour = 0, minute = 0, second = 0] = found.map(Number)
  const [offsetHour = 0, offsetMinute = 0] = [Number(found[5] ?? 0), Number(found[6] ?? 0)]
  if (hour > 23 || minute > 59 || second > 60 || offsetHour > 23 || offsetMinute > 59) return false
  if (second < 60) return true
  const offset = (offsetHour * 60 + offsetMinute) * (found[4] === '-' ? 1 : -1)
  return (hour * 60 + minute + offset + 1440) % 1440 === 1439
}

function isHostname(text: string): boolean {
  return (
    text.length <= MAX_HOSTNAME &&
    text.split('.').every((label) => /^[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?$/i.test(label))
  )
}

/** @see https://www.rfc-editor.org/rfc/rfc5321#section-4.1.2 */
function isEmail(text: string): boolean {
  const at = text.lastIndexOf('@')
  if (at < 1 || at > 64 || text.length > MAX_EMAIL) return false
  const local = text.slice(0, at)
  const host = text.slice(at + 1)
  const isQuoted = /^"(?:[\x20\x21\x23-\x5b\x5d-\x7e]|\\[\x20-\x7e])*"$/.test(local)
  if (!isQuoted && !local.split('.').every((part) => /^[\w!#$%&'*+/=?^`{|}~-]+$/.test(part))) {
    return false
  }
  const [, literal] = /^\[(.*)\]$/.exec(host) ?? []
  if (literal === undefined) return isHostname(host)
  return /^ipv6:/i.test(literal) ? isIpv6(literal.slice(5)) : isIpv4(literal)
}

/** @see https://www.rfc-editor.org/rfc/rfc6570#section-2 */
function isUriTemplate(text: string): boolean {
  // Splits at braces: literals are at even positions, expressions at odd ones.
  const parts = text.split(/([{}])/)
  let isOpen = false
  for (const part of parts) {
    if (part === '{' || part === '}') {
      if (isOpen === (part === '{')) return false
      isOpen = part === '{'
    } else if (isOpen ? !isExpression(part) : !isLiteral(part)) return false
  }
  return !isOpen
}

function isLiteral(text: string): boolean {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: RFC 6570 §2.1 excludes them
  return !/[\x00-\x20\x7f"<>\\^`|]|%(?![0-9a-f]{2})/i.test(text)
}

function isExpression(text: string): boolean {
  return text
    .replace(/^[+#./;?&=,!@|]/, '')
    .split(',')
    .every((variable) => {
      const name = variable.replace(/(?::[1-9]\d{0,3}|\*)$/, '')
      return name.split('.').every((part) => part !== '' && !/[^\w%]|%(?![0-9a-f]{2})/i.test(part))
    })
}

function isRegex(text: string): boolean {
  if (text.length > MAX_REGEX) return false
  try {
    new RegExp(text, 'u')
    return true
  } catch {
    // Not a regular expression.
    return false
  }
}

function isJsonPointer(text: string): boolean {
  return text === '' || (text.startsWith('/') && !/~(?![01])/.test(text))
}

/** The keyword `format`, which Standard Schemas check by rules of their own. */
export function checkFormat({ format }: JsonSchema, value: string): Fault {
  if (typeof format !== 'string' || !Object.hasOwn(FORMATS, format)) return undefined
  return FORMATS[format]?.(value) === false ? `must have the format ${quote(format)}` : undefined
}
