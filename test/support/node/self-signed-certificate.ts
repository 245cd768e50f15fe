/** Creates a certificate for a server on 127.0.0.1, for which Node has no function. */
import { generateKeyPairSync, sign } from 'node:crypto'

/** PEM texts. */
interface Certificate {
  readonly certificate: string
  readonly privateKey: string
}

const DAY_MS = 86_400_000

/** Tags of DER (ITU-T X.690). */
const Tag = {
  boolean: 0x01,
  integer: 0x02,
  bitString: 0x03,
  octetString: 0x04,
  objectId: 0x06,
  utf8String: 0x0c,
  utcTime: 0x17,
  sequence: 0x30,
  set: 0x31,
  version: 0xa0,
  extensions: 0xa3,
  ipAddress: 0x87,
} as const

const ECDSA_WITH_SHA256 = [0x2a, 0x86, 0x48, 0xce, 0x3d, 0x04, 0x03, 0x02]
const COMMON_NAME = [0x55, 0x04, 0x03]
const BASIC_CONSTRAINTS = [0x55, 0x1d, 0x13]
const SUBJECT_ALT_NAME = [0x55, 0x1d, 0x11]

/**
 * Signed by its own key, valid from a day ago until tomorrow, and an authority, so that a program that
 * trusts the certificate accepts the server.
 *
 * @see https://www.rfc-editor.org/rfc/rfc5280#section-4.1
 */
export function createSelfSignedCertificate(): Certificate {
  const keys = generateKeyPairSync('ec', { namedCurve: 'P-256' })
  const algorithm = sequence(der(Tag.objectId, ECDSA_WITH_SHA256))
  const name = sequence(
    der(
      Tag.set,
      sequence(der(Tag.objectId, COMMON_NAME), der(Tag.utf8String, Buffer.from('127.0.0.1'))),
    ),
  )
  const isTrue = der(Tag.boolean, [0xff])
  const content = sequence(
    // Version 3.
    der(Tag.version, der(Tag.integer, [2])),
    der(Tag.integer, [1]),
    algorithm,
    name,
    sequence(utcTime(Date.now() - DAY_MS), utcTime(Date.now() + DAY_MS)),
    name,
    keys.publicKey.export({ type: 'spki', format: 'der' }),
    der(
      Tag.extensions,
      sequence(
        extension(BASIC_CONSTRAINTS, isTrue, sequence(isTrue)),
        extension(SUBJECT_ALT_NAME, [], sequence(der(Tag.ipAddress, [127, 0, 0, 1]))),
      ),
    ),
  )
  const signature = sign('sha256', content, keys.privateKey)
  const unusedBits = [0]
  const certificate = sequence(content, algorithm, der(Tag.bitString, unusedBits, signature))
  const lines = certificate.toString('base64').replace(/.{64}/g, '$&\n').trimEnd()
  return {
    certificate: `-----BEGIN CERTIFICATE-----\n${lines}\n-----END CERTIFICATE-----\n`,
    privateKey: keys.privateKey.export({ type: 'pkcs8', format: 'pem' }).toString(),
  }
}

type Bytes = Uint8Array | readonly number[]

function der(tag: number, ...parts: readonly Bytes[]): Buffer {
  const content = Buffer.concat(parts.map((part) => Uint8Array.from(part)))
  const { length } = content
  return Buffer.concat([Uint8Array.from([tag, ...lengthBytes(length)]), content])
}

/** The shortest form, which is the only one in DER. */
function lengthBytes(length: number): readonly number[] {
  if (length < 0x80) return [length]
  return length < 0x100 ? [0x81, length] : [0x82, length >> 8, length & 0xff]
}

function sequence(...parts: readonly Bytes[]): Buffer {
  return der(Tag.sequence, ...parts)
}

function extension(id: readonly number[], critical: Bytes, value: Bytes): Buffer {
  return sequence(der(Tag.objectId, id), critical, der(Tag.octetString, value))
}

/** Two digits of the year, which are unambiguous until 2049. */
function utcTime(at: number): Buffer {
  const digits = new Date(at).toISOString().replace(/[^\d]/g, '').slice(2, 14)
  return der(Tag.utcTime, Buffer.from(`${digits}Z`))
}
