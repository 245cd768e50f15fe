/** Parts of a text that are encoded: base64, hexadecimal digits, escape sequences. */
import { quoted } from '../../../../text/src/quoted.ts'

const BASE64 = /[A-Za-z0-9+/_-]{16,}={0,2}/g
const HEX = /(?:0x)?(?:[0-9a-fA-F]{2}){12,}/g
/** Eight characters or more, one after another. */
const ESCAPES =
  /(?:%[0-9a-f]{2}){8}|(?:\\x[0-9a-f]{2}){8}|(?:\\u[0-9a-f]{4}){8}|(?:&#x?[0-9a-f]{1,6};){8}/i
/** Eight bytes or more as binary digits. */
const BINARY = /(?:[01]{8}\s{0,2}){8,}/g

/** Longer than every common digest, such as SHA-512, key or identifier. */
const MAX_OPAQUE_HEX = 128
const MAX_OPAQUE_BASE64 = 88

/** As a part of a sentence; undefined for a text that people can read. */
export function encodedPartOf(text: string): string | undefined {
  const found =
    ESCAPES.exec(text)?.[0] ?? encodedBinary(text) ?? encodedHex(text) ?? encodedBase64(text)
  return found === undefined ? undefined : quoted(found.slice(0, 60))
}

/** A number of many zeros is no text. */
const runsOf = (text: string, pattern: RegExp) => [...text.matchAll(pattern)].map(([run]) => run)

function encodedBinary(text: string): string | undefined {
  return runsOf(text, BINARY).find((run) => {
    const bytes = run.match(/[01]{8}/g) ?? []
    return bytes.every((digits) => isPrintable(Number.parseInt(digits, 2)))
  })
}

const isPrintable = (byte: number) => byte >= 0x20 && byte < 0x7f

function encodedHex(text: string): string | undefined {
  return runsOf(text, HEX).find((run) => {
    const digits = run.replace(/^0x/, '')
    const isOpaqueHex = digits.length > MAX_OPAQUE_HEX && new Set(digits).size > 4
    return isSentence(Buffer.from(digits, 'hex')) || isOpaqueHex
  })
}

function encodedBase64(text: string): string | undefined {
  return runsOf(text, BASE64).find((run) => {
    const bytes = Buffer.from(run.replaceAll('-', '+').replaceAll('_', '/'), 'base64')
    return isSentence(bytes) || (run.length > MAX_OPAQUE_BASE64 && isOpaque(run))
  })
}

/** Whether bytes are a readable text: what a random identifier never decodes to. */
function isSentence(bytes: Buffer): boolean {
  const text = bytes.toString('latin1')
  return text.length >= 12 && /^[\t\n\r\x20-\x7E]+$/.test(text) && /[A-Za-z]{3}/.test(text)
}

/** A path or a long word has no digits, or few changes of case. */
function isOpaque(run: string): boolean {
  if (!/\d/.test(run) || !/[a-z]/.test(run) || !/[A-Z]/.test(run)) return false
  const words = run.split(/[/_-]+|(?<=[a-z])(?=[A-Z])/)
  return (
    run.length / words.length > 20 ||
    words.filter((word) => /\d/.test(word)).length > words.length / 3
  )
}
