/**
 * The text of a personal access token: a prefix that secret scanners find, a seal, and a checksum with
 * which they and this server recognise a text that only looks like one.
 *
 * `ewp_<seal>_<checksum>`: the checksum is the FNV-1a hash of all before its underscore, as 8 hexadecimal
 * digits.
 */
import { fnv1a } from '../../platform/fnv.ts'

const PREFIX = 'ewp_'
const CHECKSUM_LENGTH = 8

export function formatPersonalToken(sealed: string): string {
  const text = `${PREFIX}${sealed}`
  return `${text}_${checksum(text)}`
}

/** Whether a text claims to be a personal access token. */
export function looksLikePersonalToken(text: string): boolean {
  return text.startsWith(PREFIX)
}

/** The seal; undefined when prefix or checksum are wrong. */
export function sealOf(token: string): string | undefined {
  const end = token.length - CHECKSUM_LENGTH - 1
  const text = token.slice(0, Math.max(end, 0))
  const isIntact = looksLikePersonalToken(text) && token.slice(end) === `_${checksum(text)}`
  return isIntact ? text.slice(PREFIX.length) : undefined
}

function checksum(text: string): string {
  return fnv1a(text).toString(16).padStart(CHECKSUM_LENGTH, '0')
}
